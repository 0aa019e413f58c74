import type { SourceRecord, TableHead } from '../containers/table.ts';
import { bytesOf } from '../fields/bytes.ts';
import { addressOf, EMAIL_DOMAIN, type NamedAddress } from '../fields/login-address.ts';
import { selfDescribingHash } from '../fields/self-describing.ts';
import { baseName, formsOf, hasColumns, mayBe } from '../fields/tables.ts';
import { timeOf } from '../fields/time.ts';
import { totpOfBase32 } from '../fields/totp.ts';
import { emailOrUsername, USERNAME_IS_EMAIL } from '../fields/username-as-email.ts';
import { flagOf, metadataOf, textOf } from '../fields/values.ts';
import type { Advice, Detail, ReadContext, Settings, Source } from '../source.ts';
import type { SourceUser } from '../source-user.ts';

const isUsers = (table: TableHead) =>
  mayBe(table, 'users_info') &&
  hasColumns(table, 'username', 'password', 'is_authorized', 'email', 'has_2fa', 'otp_secret');

/** Users of JupyterHub itself, without hashes. They are joined to the authenticator's users by name only. */
const hubUsers: Detail = {
  fits: (table) => mayBe(table, 'users') && hasColumns(table, 'name', 'admin', 'created', 'cookie_id'),
  keyOf: ({ name }) => textOf(name),
  keep: ({ admin, created }) => ({ admin, created }),
};

function read(record: SourceRecord, { settings, details, drop }: ReadContext): SourceUser {
  const name = textOf(record.username);
  const [hubUser] = name === undefined ? [] : details('hubUsers', name);
  if (flagOf(record.has_2fa) !== false) drop('mfa', totpOfBase32(record.otp_secret));
  if (flagOf(hubUser?.admin) === true) drop('roles');
  return {
    externalUserId: textOf(record.id),
    ...addressIn(textOf(record.email), name, settings),
    timeJoinedMs: timeOf(hubUser?.created),
    password: selfDescribingHash(textOfBytes(record.password)),
    metadata: metadataOf({ username: name }),
    // JupyterHub users can sign in only after an admin, or a link in an e-mail, has authorised them.
    state: flagOf(record.is_authorized) === true ? undefined : 'DISABLED',
  };
}

/** Most JupyterHubs do not ask for an address. A user name with an `@` counts as one only if the operator says so. */
function addressIn(email: string | undefined, name: string | undefined, settings: Settings): NamedAddress {
  return email === undefined && name?.includes('@') === false
    ? addressOf(name, settings)
    : emailOrUsername(email, name, settings);
}

/** PostgreSQL writes the bytes of JupyterHub's hashes as `\x24…`. */
function textOfBytes(value: unknown): string | undefined {
  const text = textOf(value);
  return text?.startsWith('\\x') ? bytesOf(text.slice(2), 'hex')?.toString() : text;
}

const WITHOUT_TIMES: Advice = {
  level: 'note',
  text: 'The table users of the hub is missing, so it is not known when anybody joined: pg_dump --data-only -t users_info -t users jupyterhub > dump.sql.',
};

/** JupyterHub with NativeAuthenticator. Schema: jupyterhub/nativeauthenticator: nativeauthenticator/orm.py */
export const jupyterhub: Source = {
  name: 'jupyterhub',
  title: 'JupyterHub (NativeAuthenticator)',
  settings: { ...USERNAME_IS_EMAIL, ...EMAIL_DOMAIN },
  forms: formsOf(
    { sql: 'jupyterhub-sql', csv: 'jupyterhub-csv', json: 'jupyterhub-json' },
    {
      isUsers,
      details: { hubUsers },
      // `read` interprets these columns, because every JupyterHub user has a TOTP secret, even
      // without a second factor.
      ownFactors: ['has_2fa', 'otp_secret'],
      read,
      advice: ({ tables }) =>
        tables.some((table) => baseName(table) === 'users' || table.columns.has('cookie_id'))
          ? []
          : [WITHOUT_TIMES],
    },
  ),
};
