import { FileProblem } from '../table.ts';

export const truncated = (what: string, beganAt: number): FileProblem =>
  new FileProblem(
    'FILE_TRUNCATED',
    `The file ends too early: ${what} that begins at byte ${beganAt} has no end. Copy or export it again.`,
  );

/** After invalid JSON, the start of the next record is unknown. */
export const invalidAt = (offset: number, expected: string): FileProblem =>
  new FileProblem(
    'FILE_INVALID',
    `Is not JSON at byte ${offset}, where ${expected} should be. Correct it there, or export it again.`,
  );

/** An invalid JSON record may end later than it seems, so the file is not read beyond it. */
export const uncertainEnd = (beganAt: number): FileProblem =>
  new FileProblem(
    'FILE_INVALID',
    `The record that begins at byte ${beganAt} is not JSON, so its end is unknown, and nothing after it is read. Correct it, or export again with a writer that escapes quotes.`,
  );

export const wrongBracket = (what: string, beganAt: number, offset: number): FileProblem =>
  new FileProblem(
    'FILE_INVALID',
    `Is not JSON: the bracket at byte ${offset} matches no open bracket in ${what} that begins at byte ${beganAt}. Mend it there, or export it again.`,
  );

/**
 * With doubled backslashes, lines without quotes in texts are JSON all the same, but with wrong texts, so
 * nothing in the file can be trusted.
 */
export const doubledBackslashes = (beganAt: number): FileProblem =>
  new FileProblem(
    'FILE_INVALID',
    `The record that begins at byte ${beganAt} has each backslash twice, as COPY and mysql --batch write it, so texts of the file are not ` +
      'those of the database. Export it again: psql -At -c "select row_to_json(u) from users u" > users.json, or mysql --raw.',
  );

export const notUtf8 = (offset: number): FileProblem =>
  new FileProblem(
    'ENCODING_INVALID',
    `The record at byte ${offset} is not UTF-8. If the file is in another encoding, name it: --encoding latin1.`,
  );

export const unlikePages = (offset: number) =>
  new FileProblem(
    'FILE_INVALID',
    `The first document of the file holds a list of records, but the one at byte ${offset} holds none, or is a user itself. If the ` +
      'documents are the users, export them as one array of JSON. If the users are in lists, name the path: --json-path.',
  );

export const sameListAgain = (offset: number) =>
  new FileProblem(
    'FILE_INVALID',
    `The list that begins at byte ${offset} has the name of an earlier one, so they may be different tables. Export each under its own name.`,
  );
