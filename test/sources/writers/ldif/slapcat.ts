import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostileRow } from '../hostile-rows.ts';
import { outputOf, type Writer } from '../writer.ts';

const SUFFIX = 'dc=example,dc=org';

/** Attributes of a person, by column. */
const ATTRIBUTES = {
  uid: 'id',
  mail: 'email',
  userPassword: 'password_hash',
  cn: 'name',
  sn: 'name',
  description: 'bio',
} as const;

const dnOf = ({ id }: HostileRow) => `uid=${id},${SUFFIX}`;

/** Returns the attributes without empty values, which a directory does not store. */
const valuesOf = (row: HostileRow) =>
  Object.entries(ATTRIBUTES).flatMap(([name, column]) =>
    row[column] === '' ? [] : [[name, row[column]] as const],
  );

function entryOf(row: HostileRow): string {
  const values = valuesOf(row).map(([name, value]) => `${name}:: ${Buffer.from(value).toString('base64')}\n`);
  return `dn: ${dnOf(row)}\nobjectClass: inetOrgPerson\n${values.join('')}\n`;
}

function recordOf(row: HostileRow): Record<string, unknown> {
  const values = valuesOf(row).map(([name, value]) => [name.toLowerCase(), [value]]);
  return { dn: [dnOf(row)], ...Object.fromEntries(values) };
}

function slapcat(rows: readonly HostileRow[], options: readonly string[]): Buffer {
  const directory = mkdtempSync(join(tmpdir(), 'slapcat-'));
  try {
    const config = join(directory, 'slapd.conf');
    mkdirSync(join(directory, 'data'));
    writeFileSync(
      config,
      [
        ...['core', 'cosine', 'inetorgperson'].map((name) => `include /etc/ldap/schema/${name}.schema`),
        'modulepath /usr/lib/ldap',
        'moduleload back_mdb',
        'database mdb',
        `suffix "${SUFFIX}"`,
        `directory ${join(directory, 'data')}`,
        'maxsize 67108864\n',
      ].join('\n'),
    );
    const base = `dn: ${SUFFIX}\nobjectClass: dcObject\nobjectClass: organization\ndc: example\no: example\n\n`;
    outputOf('slapadd', ['-f', config, '-q'], base + rows.map(entryOf).join(''));
    return outputOf('slapcat', ['-f', config, ...options], '');
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** slapcat of OpenLDAP. */
export const openLdap: Writer = {
  name: 'slapcat',
  container: 'ldif',
  programs: ['slapadd', 'slapcat'],
  write(rows, random) {
    const options = random.one([[], ['-o', 'ldif-wrap=no'], ['-o', 'ldif-wrap=100']]);
    // Names may not be empty.
    const people = rows.map((row) => ({ ...row, name: row.name.trim() === '' ? 'x' : row.name }));
    return {
      how: options.join(' '),
      bytes: slapcat(people, options),
      rows: people.map(recordOf),
      options: {},
    };
  },
};
