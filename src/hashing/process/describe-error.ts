/**
 * Describes an error without secrets. A plain Error comes from this service or a hash library. Other classes
 * may quote their input, so only their name and code are used.
 */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return 'the hashing process failed';
  if (Object.getPrototypeOf(error) === Error.prototype) return error.message;
  const code = 'code' in error ? ` ${String(error.code)}` : '';
  return `the hashing process failed: ${error.name}${code}`;
}
