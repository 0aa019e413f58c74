import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';

/**
 * A big export of a system in its own format. The users are made up, and their hashes are only well-formed.
 */
export interface ExportFile {
  name: string;
  /** Value of `--from`. */
  source: string;
  extension: string;
  head: string;
  user(index: number): string;
  tail: string;
  settings?: Readonly<Record<string, string>>;
  flags?: readonly string[];
}

export const BCRYPT = '$2a$10$KwBCUpZQPBObDVE4SuTLtukI.XMW9g4AU.7xkMPvKPOQckh7hN0J2';
export const DIGEST =
  'lyYAGlQo7BamIyW4k578WgOkmn9hFbzZdpfRF4C7ld/dpRG+lmkJD/lh+2bwqZNHL1A22K7esZ14KetloAAowQ==';
const FIRST_MS = Date.UTC(2019, 0, 1);

const email = (index: number) => `user.${index}@example.com`;
const hex = (index: number, digits: number) => index.toString(16).padStart(digits, '0');
export const uuid = (index: number) =>
  `${hex(Math.imul(index, 2654435761) >>> 0, 8)}-0000-4000-8000-${hex(index, 12)}`;
const iso = (index: number) => new Date(FIRST_MS + index * 1000).toISOString();
const isEvery = (index: number, n: number) => index % n === 0;

export const firebase: ExportFile = {
  name: 'Firebase JSON',
  source: 'firebase',
  extension: 'json',
  settings: { memCost: '14', rounds: '8', saltSeparator: 'Bw==' },
  head: '{"users": [\n',
  user: (index) => {
    const google = [{ providerId: 'google.com', rawId: `${1e15 + index}`, email: email(index) }];
    const user = {
      localId: `X8IrEiyWGyQJWZDM${hex(index, 12)}`,
      email: email(index),
      emailVerified: isEvery(index, 2),
      passwordHash: DIGEST,
      salt: '6XjjwTA18mKqyw==',
      displayName: `User Nº ${index}`,
      lastSignedInAt: `${FIRST_MS + index * 2000}`,
      createdAt: `${FIRST_MS + index * 1000}`,
      disabled: false,
      providerUserInfo: isEvery(index, 10) ? google : [],
    };
    return `${index === 0 ? '' : ',\n'}${JSON.stringify(user, undefined, 2)}`;
  },
  tail: '\n]}\n',
};

const auth0: ExportFile = {
  name: 'Auth0 NDJSON',
  source: 'auth0',
  flags: ['--without-table', 'users'],
  extension: 'ndjson',
  head: '',
  user: (index) =>
    `${JSON.stringify({
      _id: { $oid: `5efefa82d16c1b98${hex(index, 8)}` },
      email_verified: true,
      email: email(index),
      passwordHash: BCRYPT,
      password_set_date: { $date: iso(index) },
      tenant: 'dev-example',
      connection: 'Username-Password-Authentication',
      _tmp_is_unique: true,
    })}\n`,
  tail: '',
};

const csv: ExportFile = {
  name: 'CSV',
  source: 'generic',
  flags: ['--active', 'everybody', '--keep', 'name,plan'],
  extension: 'csv',
  head: 'user_id,email,password_hash,email_verified,created_at,name,plan\n',
  user: (index) => `${index},${email(index)},${BCRYPT},true,${iso(index)},"User, Nº ""${index}""",free\n`,
  tail: '',
};

export const supabase: ExportFile = {
  name: 'pg_dump COPY',
  source: 'supabase',
  flags: ['--mfa', 'none'],
  extension: 'sql',
  head: `--
-- PostgreSQL database dump
--

SET standard_conforming_strings = on;

COPY auth.users (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at, raw_app_meta_data, raw_user_meta_data, is_super_admin, created_at, updated_at, phone, banned_until, is_sso_user, deleted_at, is_anonymous) FROM stdin;
`,
  user: (index) =>
    `00000000-0000-0000-0000-000000000000\t${uuid(index)}\tauthenticated\tauthenticated\t${email(index)}\t${BCRYPT}\t2022-06-04 15:23:44.123+00\t{"provider": "email", "providers": ["email"]}\t{"name": "User ${index}"}\t\\N\t2022-06-04 15:23:35.123+00\t2022-06-04 15:23:45+00\t\\N\t\\N\tf\t\\N\tf\n`,
  tail: '\\.\n\n--\n-- PostgreSQL database dump complete\n--\n',
};

/** Rows of one INSERT, as mysqldump packs them by default. */
const ROWS_OF_AN_INSERT = 4000;

const wordpress: ExportFile = {
  name: 'mysqldump',
  source: 'wordpress',
  flags: ['--without-table', 'usermeta', '--active', 'user_status=0'],
  extension: 'sql',
  head: `-- MySQL dump 10.13  Distrib 8.0.36, for Linux (x86_64)
--
-- Host: localhost    Database: wordpress

CREATE TABLE \`wp_users\` (
  \`ID\` bigint unsigned NOT NULL AUTO_INCREMENT,
  \`user_login\` varchar(60) NOT NULL DEFAULT '',
  \`user_pass\` varchar(255) NOT NULL DEFAULT '',
  \`user_nicename\` varchar(50) NOT NULL DEFAULT '',
  \`user_email\` varchar(100) NOT NULL DEFAULT '',
  \`user_url\` varchar(100) NOT NULL DEFAULT '',
  \`user_registered\` datetime NOT NULL DEFAULT '0000-00-00 00:00:00',
  \`user_activation_key\` varchar(255) NOT NULL DEFAULT '',
  \`user_status\` int NOT NULL DEFAULT '0',
  \`display_name\` varchar(250) NOT NULL DEFAULT '',
  PRIMARY KEY (\`ID\`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

LOCK TABLES \`wp_users\` WRITE;
`,
  user: (index) => {
    const begin = isEvery(index, ROWS_OF_AN_INSERT)
      ? `${index === 0 ? '' : ';\n'}INSERT INTO \`wp_users\` VALUES `
      : ',';
    return `${begin}(${index + 1},'user${index}','$P$Bwk4lSBqayRuXK23D3wyQpeVnpaemX1','user${index}','${email(index)}','','2020-09-07 01:27:53','',0,'D\\'Arcy ${index}')`;
  },
  tail: ';\nUNLOCK TABLES;\n\n-- Dump completed on 2026-03-01 12:00:00\n',
};

export const EXPORT_FILES: readonly ExportFile[] = [firebase, auth0, csv, supabase, wordpress];

const USERS_A_WRITE = 5000;

/** Writes an export with this many users, in constant memory. */
export async function writeExport(path: string, file: ExportFile, users: number): Promise<void> {
  const output = createWriteStream(path);
  output.write(file.head);
  for (let index = 0; index < users; ) {
    let text = '';
    for (const end = Math.min(users, index + USERS_A_WRITE); index < end; index += 1)
      text += file.user(index);
    if (!output.write(text)) await once(output, 'drain');
  }
  output.end(file.tail);
  await finished(output);
}
