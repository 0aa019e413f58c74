/** What waits for a connection: all of it is rejected when the connection ends, of which a driver does not tell everybody. */
export interface Pending {
  wait<Result>(
    work: (resolve: (result: Result) => void, reject: (error: unknown) => void) => void,
  ): Promise<Result>;
  /** The first reason counts. */
  end(reason: Error): void;
}

export function newPending(): Pending {
  const rejects = new Set<(error: unknown) => void>();
  let ended: Error | undefined;
  return {
    async wait(work) {
      if (ended !== undefined) throw ended;
      let rejectIt = (_: unknown) => {};
      try {
        return await new Promise((resolve, reject) => {
          rejectIt = reject;
          rejects.add(reject);
          work(resolve, reject);
        });
      } finally {
        rejects.delete(rejectIt);
      }
    },
    end(reason) {
      ended ??= reason;
      for (const reject of rejects) reject(ended);
    },
  };
}
