/** `$…$`, `{SCHEME}`, `pbkdf2_sha256$…`, and digits of the digests that are in use. */
const SHAPES = [
  /^U?\$[a-z0-9_-]{1,32}[$,]/i,
  /^\{[a-z0-9_-]{1,40}\}/i,
  /^(?:pbkdf2|argon2|bcrypt|scrypt|md5|sha\d{1,3})[a-z0-9_:]{0,40}\$/i,
  /^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})(?:$|:)/i,
];

/** May the text be a hash? Then it is not taken for a password in the clear, whatever the operator says of the column. */
export const looksLikeHash = (text: string): boolean => SHAPES.some((shape) => shape.test(text));
