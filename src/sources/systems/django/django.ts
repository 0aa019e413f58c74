import type { ContainerName, SourceRecord, TableHead } from '../../containers/table.ts';
import { stateOfFlag } from '../../fields/read-state.ts';
import { timeOf } from '../../fields/time.ts';
import { emailOrUsername, USERNAME_IS_EMAIL } from '../../fields/username-as-email.ts';
import { listOf, metadataOf, objectsOf, severalOf, textOf } from '../../fields/values.ts';
import type { Advice, DetectionContext, Form, ReadContext, Source } from '../../source.ts';
import type { SourceUser } from '../../source-user.ts';
import { accounts, addresses, addressesOf, factors, identitiesOf, naturalKey } from './allauth.ts';
import { passwordOf } from './password.ts';

const details = { addresses, accounts, factors };

/** A fixture of Django has `pk`; one made with --natural-primary has no ids. */
function idOf(record: SourceRecord): string | undefined {
  const id = textOf(record.pk) ?? textOf(record.id);
  // Ids of Django users are numbers. `t` is the number 1, which a CSV export converted to true.
  return id === 't' && record.is_superuser !== undefined && typeof record.id === 'string' ? '1' : id;
}

/**
 * Keys by which other tables refer to a Django user: the id, or the user name as the natural key of a
 * fixture.
 */
function keysOf(record: SourceRecord): string[] {
  const id = idOf(record);
  const keys = id === undefined ? [] : [id];
  if (record.pk === undefined && record.id !== undefined) return keys;
  for (const natural of [record.username, record.email]) {
    const key = textOf(natural);
    if (key !== undefined) keys.push(naturalKey(key));
  }
  return keys;
}

function read(record: SourceRecord, context: ReadContext): SourceUser {
  const { settings, drop, hasDetail } = context;
  const found = (name: keyof typeof details) => (hasDetail(name) ? foundFor(record, name, context) : []);
  const own = emailOrUsername(record.email, record.username, settings);
  const { email, emails, isVerified } = addressesOf(own.email, found('addresses'));
  if (listOf(record.groups).length > 0) drop('roles', groupNames(record.groups));
  const devices = found('factors');
  if (devices.length > 0)
    drop(
      'mfa',
      devices.flatMap(({ totp }) => objectsOf(totp)),
    );
  return {
    externalUserId: idOf(record),
    email,
    // allauth's table of addresses may know that the user name is one.
    emailFromName: isVerified === undefined ? own.emailFromName : undefined,
    emails: severalOf(emails),
    isVerified,
    timeJoinedMs: timeOf(record.date_joined),
    password: passwordOf(textOf(record.password)),
    identities: identitiesOf(found('accounts'), context),
    metadata: metadataOf({
      username: record.username,
      first_name: record.first_name,
      last_name: record.last_name,
    }),
    // A Django user model may lack `is_active`. If its value is null, the user cannot sign in.
    state:
      record.is_active === null ? 'DISABLED' : stateOfFlag('is_active', record.is_active, false, settings),
  };
}

/** A fixture made with --natural-foreign has names of groups in place of ids. */
const groupNames = (groups: unknown): unknown[] =>
  listOf(groups).flatMap((group) => (Array.isArray(group) ? group.slice(0, 1) : []));

/** Returns records under the first of the user's keys that has any. */
function foundFor(record: SourceRecord, name: keyof typeof details, context: ReadContext) {
  for (const key of keysOf(record)) {
    const found = context.details(name, key);
    if (found.length > 0) return found;
  }
  return [];
}

/** Metabase's salts, and Zulip's addresses to write to. Their tables have all columns of Django's otherwise. */
const OF_OTHERS = ['password_salt', 'delivery_email'];

const hasPassword = ({ columns }: TableHead): boolean =>
  columns.has('password') && columns.has('last_login') && !OF_OTHERS.some((name) => columns.has(name));

/** Fixture of Django: records of `app.model` with the fields of all user models, which do not include `id`. */
const isFixture = (table: TableHead): boolean =>
  /^[a-z_]\w*\.[a-z_]\w*$/i.test(table.name) &&
  hasPassword(table) &&
  (table.columns.has('pk') || !table.columns.has('id'));

/** A model of the app counts only with `is_superuser`, which Django's permissions add. */
const isTable = (table: TableHead): boolean => hasPassword(table) && table.columns.has('is_superuser');

/** The columns are sufficient if the operator names Django (`--from`). */
const mayBeUsers = ({ columns }: TableHead, around: DetectionContext | undefined): boolean =>
  around?.isNamed === true && columns.has('password') && (columns.has('email') || columns.has('username'));

const formOf = (name: string, container: ContainerName, isSure: (table: TableHead) => boolean): Form => {
  const fits = (table: TableHead, around?: DetectionContext) =>
    table.container === container && (isSure(table) || mayBeUsers(table, around));
  return {
    name,
    isUsers: (table, _settings, around) => fits(table, around),
    details,
    keyOf: (record) => keysOf(record)[0],
    ownStates: ['is_active'],
    read,
    advice: ({ tables }) =>
      adviceOn(
        tables.filter((table) => fits(table)),
        tables.filter(accounts.fits),
      ),
  };
};

function adviceOn(users: readonly TableHead[], social: readonly TableHead[]): Advice[] {
  const hasNoIds = users.some(({ first }) => first.some((record) => idOf(record) === undefined));
  return [
    ...(users.length > 1 ? [SEVERAL_MODELS] : []),
    ...(hasNoIds ? [NO_IDS] : []),
    ...(social.length === 0 ? [NO_SOCIAL] : []),
  ];
}

const NO_IDS: Advice = {
  level: 'warn',
  text: 'These users have no ids: the fixture was made with --natural-primary. Leave that out, so that your tables still find their users: python manage.py dumpdata auth.user account.emailaddress socialaccount.socialaccount -o users.json',
};
const SEVERAL_MODELS: Advice = {
  level: 'warn',
  text: 'There are several tables or models of users. All of them are imported, and their ids may be the same. To keep them apart, import a file of each by itself, with a prefix: --set idPrefix=NAME-',
};
const NO_SOCIAL: Advice = {
  level: 'note',
  text: 'There are no social accounts here. Where the site has django-allauth, export them, too: python manage.py dumpdata auth.user account.emailaddress socialaccount.socialaccount -o users.json',
};

export const django: Source = {
  name: 'django',
  title: 'Django',
  forms: [
    formOf('django-dumpdata', 'json', isFixture),
    formOf('django-csv', 'csv', isTable),
    formOf('django-sql', 'sql', isTable),
    // JSON of Django's `User.objects.values()`, or of `json_agg` in psql.
    formOf('django-json', 'json', isTable),
  ],
  settings: USERNAME_IS_EMAIL,
};
