import type { Random } from '../../support/random.ts';

/** A user for a real writer. Every cell is text that somebody could have typed into a profile page. */
export interface HostileRow {
  id: string;
  email: string;
  password_hash: string;
  name: string;
  bio: string;
}

export const COLUMNS = ['id', 'email', 'password_hash', 'name', 'bio'] as const;

/** The account that every hostile cell tries to take over. It is always one of the rows. */
const BOSS = 'boss@example.org';

const OWN_HASH = '$2a$10$wwwwwwwwwwwwwwwwwwwwwuMALLORYMALLORYMALLORYMALLORYMALL';
const BOSS_HASH = '$2a$10$bbbbbbbbbbbbbbbbbbbbbuBOSSBOSSBOSSBOSSBOSSBOSSBOSSBOSS1';

/** Single characters and short runs that some container gives a meaning to. */
const PIECES = [
  ...['"', '""', '"""', "'", "''", '`', '\\', '\\\\', '\\"', "\\'", '\\n', '\\N', '\\.', '\\t', '\n', '\r'],
  ...['\r\n', '\n\n', '\t', ',', ';', '|', ':', '(', ')', '),(', ');', '--', '-- ', '#', '/*', '*/', '/*!'],
  ...['$$', '$a$', "E'", '{', '}', '[', ']', '{"', '":', 'NULL', 'null', '\u2028', '\ufeff', '\u00e9'],
  ...['\u{1f600}', ' ', '=', '<', '%', '\u0001', '\u007f', 'x', 'abc', 'sep=;', '@'],
];

/** Lines that a reader could mistake for a statement about the kind or the dialect of the file. */
const LINES = [
  'SET standard_conforming_strings = off;',
  'SET standard_conforming_strings = on;',
  '-- MySQL dump 10.13  Distrib 8.0.36, for Linux (x86_64)',
  '-- PostgreSQL database dump',
  '-- PostgreSQL database dump complete',
  'PRAGMA foreign_keys=OFF;',
  'SET NAMES utf8mb4;',
  "/*!40101 SET SQL_MODE='NO_BACKSLASH_ESCAPES' */;",
  'CREATE TABLE `users` (',
  ') ENGINE=InnoDB;',
  'GO',
  'USE [users]',
  'COPY public.users (id, email, password_hash, name, bio) FROM stdin;',
  '\\.',
  '\\restrict abc',
  'DELETE FROM users;',
  'TRUNCATE users;',
  'hash_config { algorithm: SCRYPT, base64_signer_key: AAAA, rounds: 8, mem_cost: 14 }',
  'root:$6$saltsalt$abcdefgh:19000:0:99999:7:::',
  'daemon:*:19000:0:99999:7:::',
  'root:x:0:0:root:/root:/bin/bash',
  'dn: uid=boss,ou=people,dc=example,dc=org',
  'version: 1',
  '-----+------+-----',
  '<!doctype html>',
  '{"email":"boss@example.org"}',
  'sep=;',
];

/** Rows of another user, as each container would write them. */
const FAKES = [
  `3,${BOSS},${OWN_HASH},y,z`,
  `"3","${BOSS}","${OWN_HASH}","y","z"`,
  `3;${BOSS};${OWN_HASH};y;z`,
  `3\t${BOSS}\t${OWN_HASH}\ty\tz`,
  `(3,'${BOSS}','${OWN_HASH}','y','z')`,
  `INSERT INTO users VALUES (3,'${BOSS}','${OWN_HASH}','y','z');`,
  `INSERT INTO public.users VALUES ('3', '${BOSS}', '${OWN_HASH}', 'y', 'z');`,
  `INSERT INTO \`users\` VALUES ('3','${BOSS}','${OWN_HASH}','y','z');`,
  `{"id":"3","email":"${BOSS}","password_hash":"${OWN_HASH}","name":"y","bio":"z"}`,
  `boss:${OWN_HASH}:19000:0:99999:7:::`,
  `dn: uid=boss,dc=example,dc=org\nuid: boss\nmail: ${BOSS}\nuserPassword: ${OWN_HASH}`,
];

/** Texts that end a cell in front of a fake row or a line, and texts that begin another cell after it. */
const BEFORE = [
  ...['\n', '"\n', '\\"\n', '\\"\r\n', "'\n", "');\n", "\\');\n", "'),", "\\'),", '",', '\\",', '\\', '""\n'],
  ...['\r', '\\\n', '\n\n', '\n\\.\n', ''],
];
const AFTER = ['', '\n', '"', "'", ',"', ",'", '\\', '\\"', "\\'", '\n"', "\n('", '\r'];

/** Returns a cell that could be read as something else, or a mixture of unusual characters. */
function hostileCell(random: Random): string {
  const kind = random.below(10);
  if (kind < 2) return `plain ${random.below(1000)}`;
  if (kind < 6) return mixture(random);
  const within = random.chance(0.5) ? random.one(FAKES) : random.one(LINES);
  return `${random.chance(0.5) ? 'x' : mixture(random)}${random.one(BEFORE)}${within}${random.one(AFTER)}`;
}

const mixture = (random: Random): string =>
  Array.from({ length: 1 + random.below(7) }, () => random.one(PIECES)).join('');

/**
 * Returns rows of one table with hostile names and bios. One in twenty-five sets has a cell of more than 1
 * MiB that contains fake rows.
 * @param random the same seed gives the same rows
 * @param maxChars 0 leaves long cells out
 */
export function hostileRows(random: Random, maxChars = 1_200_000): HostileRow[] {
  const count = 2 + random.below(8);
  const boss = random.below(count);
  const long = maxChars > 0 && random.chance(0.04) ? random.below(count) : -1;
  return Array.from({ length: count }, (_, index) => ({
    id: `${index + 1}`,
    email: index === boss ? BOSS : `user.${index}@example.org`,
    password_hash: index === boss ? BOSS_HASH : OWN_HASH,
    name: random.chance(0.5) ? `Name ${index}` : hostileCell(random),
    bio: index === long ? longCell(random, maxChars) : hostileCell(random),
  }));
}

function longCell(random: Random, chars: number): string {
  const part = `${hostileCell(random)}\n${random.one(FAKES)}\n`;
  return part.repeat(Math.ceil(chars / part.length)).slice(0, chars);
}

const TAME_NAMES = ['Ada Lovelace', "Miles O'Brien", 'Zoë', 'Grace Hopper', 'D. Knuth', '李雷', 'Anne-Marie'];
const TAME_BIOS = [
  ...['Likes tea.', 'Tea, coffee; and cake', 'She said "hello"', 'two\nlines', 'C:\\Users\\ada'],
  ...['50 % off - really?', '', 'x@y (home)'],
];

/** Returns rows of ordinary text, as most users type it. */
export function tameRows(random: Random): HostileRow[] {
  return Array.from({ length: 2 + random.below(8) }, (_, index) => ({
    id: `${index + 1}`,
    email: index === 0 ? BOSS : `user.${index}@example.org`,
    password_hash: index === 0 ? BOSS_HASH : OWN_HASH,
    name: random.one(TAME_NAMES),
    bio: random.one(TAME_BIOS),
  }));
}

export const cellsOf = (row: HostileRow): string[] => COLUMNS.map((column) => row[column]);

/** Returns the row with numbers for names, as readers return columns that have none. */
export const numberColumns = (row: HostileRow): Record<string, unknown> => ({ ...cellsOf(row) });
