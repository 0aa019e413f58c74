/** Returns a dump from its first statement with rows on, as `grep` or an editor leaves it. */
export function withoutHead(dump: Buffer): Buffer {
  const text = dump.toString('latin1');
  const start = /^(?:COPY|INSERT|REPLACE) /m.exec(text)?.index ?? 0;
  return dump.subarray(start);
}
