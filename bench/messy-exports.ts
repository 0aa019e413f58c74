import { BCRYPT, DIGEST, type ExportFile, firebase, supabase, uuid } from './export-files.ts';

/** What goes wrong in some rows: each in its place of a hundred. */
const isDisabled = (index: number) => index % 100 === 7;
const isTwice = (index: number) => index % 100 === 31;
const isBroken = (index: number) => index % 100 === 53;
const isNobody = (index: number) => index % 100 === 79;
const hasGoogle = (index: number) => index % 5 === 0;
/** The same Google account as somebody before: only the service sees that. */
const isTaken = (index: number) => index % 100 === 60;

/** The address of somebody some chunks before, or a few rows. */
const other = (index: number) => Math.max(0, index - (index % 3 === 0 ? 10_000 : 20));

/** With users who are skipped, addresses that come twice, hashes that are broken, and rows that are nobody. */
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

/** The same of a database dump, with the identities of every fifth user in a table of their own. */
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
