/** Whether `error` is a system error with one of these codes, e.g. `ENOENT`. */
export function hasErrno(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.some((code) => code === error.code);
}
