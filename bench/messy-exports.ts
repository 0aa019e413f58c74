import { BCRYPT, DIGEST, type ExportFile, firebase, supabase, uuid } from './export-files.ts';

/** Irregular rows. Each kind has its own position in every hundred rows. */
const isDisabled = (index: number) => index % 100 === 7;
const isTwice = (index: number) => index % 100 === 31;
const isBroken = (index: number) => index % 100 === 53;
const isNobody = (index: number) => index % 100 === 79;
const hasGoogle = (index: number) => index % 5 === 0;
/** Whether the row repeats the Google account of an earlier row, which only the service detects. */
const isTaken = (index: number) => index % 100 === 60;

/** Returns an earlier row whose address is repeated, some chunks or a few rows before. */
const other = (index: number) => Math.max(0, index - (index % 3 === 0 ? 10_000 : 20));

/** A Firebase export with disabled users, repeated addresses, broken hashes, and rows without a user. */
export const messyFirebase: ExportFile = {
  ...firebase,
  user(index) {
    const text = firebase.user(index);
    if (isDisabled(index)) return text.replace('"disabled": false', '"disabled": true');
    if (isTwice(index)) return text.replaceAll(`user.${index}@`, `user.${other(index)}@`);
    if (isBroken(index)) return text.replace(DIGEST, 'AAAA');
    if (isNobody(index)) return text.replaceAll(`user.${index}@example.com`, 'nobody');
    if (isTaken(index)) return text.replace(`${1e15 + index}`, `${1e15 + index - 10}`);
    return text;
  },
};

const googleId = (index: number) => 1e15 + (isTaken(index) ? index - 10 : index);
const identity = (index: number) =>
  `${googleId(index)}\t${uuid(index)}\t{"sub": "${googleId(index)}", "email": "user.${index}@example.com", "email_verified": true}\tgoogle\t2022-06-04 15:23:44.123+00\n`;

/**
 * The same irregularities in a database dump, with the identities of every fifth user in a separate table.
 */
export const messySupabase = (users: number): ExportFile => ({
  ...supabase,
  user(index) {
    const text = supabase.user(index);
    if (isDisabled(index)) return text.replace(/\\N\tf\t\\N\tf\n$/, 'infinity\tf\t\\N\tf\n');
    if (isTwice(index)) return text.replaceAll(`user.${index}@`, `user.${other(index)}@`);
    if (isBroken(index)) return text.replace(BCRYPT, '$2a$10$short');
    if (isNobody(index)) return text.replaceAll(`user.${index}@example.com`, 'nobody');
    return text;
  },
  tail: `\\.\n\nCOPY auth.identities (provider_id, user_id, identity_data, provider, created_at) FROM stdin;\n${Array.from(
    { length: users },
    (_, index) => (hasGoogle(index) ? identity(index) : ''),
  ).join('')}${supabase.tail}`,
});
