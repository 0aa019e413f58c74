import { FileProblem } from '../table.ts';

/**
 * Returns the problem of a JSON file that ends inside a value.
 * @param what the incomplete value: `a record`
 */
export const truncated = (what: string, beganAt: number): FileProblem =>
  new FileProblem(
    'FILE_TRUNCATED',
    `The file ends too early: ${what} that begins at byte ${beganAt} has no end. Copy or export it again.`,
  );

/**
 * Returns the problem of a file that is not JSON at a position, so that the start of the next record is
 * unknown.
 */
export const invalidAt = (offset: number, expected: string): FileProblem =>
  new FileProblem(
    'FILE_INVALID',
    `Is not JSON at byte ${offset}, where ${expected} should be. Correct it there, or export it again.`,
  );

/**
 * Returns the problem of a record that is not valid JSON. The file is not read beyond it, because the record
 * may end later than it seems.
 */
export const uncertainEnd = (beganAt: number): FileProblem =>
  new FileProblem(
    'FILE_INVALID',
    `The record that begins at byte ${beganAt} is not JSON, so its end is unknown, and nothing after it is read. Correct it, or export again with a writer that escapes quotes.`,
  );

/** Returns the problem of a closing bracket in a JSON file that does not match the innermost open bracket. */
export const wrongBracket = (what: string, beganAt: number, offset: number): FileProblem =>
  new FileProblem(
    'FILE_INVALID',
    `Is not JSON: the bracket at byte ${offset} matches no open bracket in ${what} that begins at byte ${beganAt}. Mend it there, or export it again.`,
  );

/**
 * Returns the problem of JSON lines whose backslashes are doubled. Lines without a quote in a text are JSON
 * all the same, but with other texts than those of the database, so none of the file can be trusted.
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
    `What begins at byte ${offset} is not UTF-8. If the file is in another encoding, name it: --encoding latin1.`,
  );

/**
 * Returns the problem of a file whose first JSON document contains a list of records, while a later document
 * does not.
 * @param offset offset of the later document
 */
export const unlikePages = (offset: number) =>
  new FileProblem(
    'FILE_INVALID',
    `The first document of the file holds a list of records, but the one at byte ${offset} holds none, or is a user itself. If the ` +
      'documents are the users, export them as one array of JSON. If the users are in lists, name the path: --json-path.',
  );

/** Returns the problem of a JSON document with two lists of the same name, of which one may hold other people. */
export const sameListAgain = (offset: number) =>
  new FileProblem(
    'FILE_INVALID',
    `The list that begins at byte ${offset} has the name of an earlier one, so they may be different tables. Export each under its own name.`,
  );
