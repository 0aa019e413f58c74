/** The statements with rows of a dump, as `grep` or an editor leaves them: from the first of them on. */
export function withoutHead(dump: Buffer): Buffer {
  const text = dump.toString('latin1');
  const start = /^(?:COPY|INSERT|REPLACE) /m.exec(text)?.index ?? 0;
  return dump.subarray(start);
}
