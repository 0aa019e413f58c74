/** Messages of plain Errors come from this service or the hash libraries. Those of other classes may quote what they were given. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return 'the hashing process failed';
  if (Object.getPrototypeOf(error) === Error.prototype) return error.message;
  const code = 'code' in error ? ` ${String(error.code)}` : '';
  return `the hashing process failed: ${error.name}${code}`;
}
