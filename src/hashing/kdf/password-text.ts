/** A byte order mark is part of the password. */
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Returns the text that the bytes of a password stand for; undefined where they are not UTF-8. */
export function textOf(password: Buffer): string | undefined {
  try {
    return UTF8.decode(password);
  } catch {
    return undefined;
  }
}

/** Returns the UTF-8 of a password in a normal form of Unicode; undefined where its bytes are not UTF-8. */
export function normalised(password: Buffer, form: 'NFC' | 'NFKC'): Buffer | undefined {
  const text = textOf(password);
  return text === undefined ? undefined : Buffer.from(text.normalize(form), 'utf8');
}
