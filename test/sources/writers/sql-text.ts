/** Writes a text as a literal of standard SQL. */
export const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** Writes a name as a quoted identifier of standard SQL. */
export const identifier = (text: string) => `"${text.replaceAll('"', '""')}"`;

/** Writes a text for the shell of SQLite, which changes the line ends of its input. */
export const sqliteText = (text: string) => `cast(x'${Buffer.from(text).toString('hex')}' as text)`;
