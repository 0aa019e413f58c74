/**
 * Operations that wait for an answer on a database connection. When the connection ends, all are rejected,
 * because the driver reports the end to only some of them.
 */
export interface Pending {
  wait<Result>(
    work: (resolve: (result: Result) => void, reject: (error: unknown) => void) => void,
  ): Promise<Result>;
  /** Rejects all waiting operations, and all later ones, with the reason of the first call. */
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
