import type { SourceRecord } from '../containers/table.ts';
import { byWord } from '../fields/states.ts';
import { totpOfBase32 } from '../fields/totp.ts';
import { flagOf, textOf } from '../fields/values.ts';
import type { SourcePassword } from '../source-user.ts';
import { system, words } from './declare.ts';

/** Plug-ins of sign-in that verify the hash in the table; others only leave `not cached`, or an old hash. */
const OF_MOODLE = new Set(['manual', 'email']);
const FAMILIES = words('bcrypt sha512-crypt hex-md5');

function passwordOf({ auth, password }: SourceRecord): SourcePassword | undefined {
  const encoded = textOf(password);
  if (encoded === undefined || encoded === 'not cached' || !OF_MOODLE.has(textOf(auth) ?? ''))
    return undefined;
  return { encoded, families: FAMILIES };
}

/** Schema: moodle/moodle: lib/db/install.xml, admin/tool/mfa/db/install.xml (2.0 to 5.0), lib/moodlelib.php */
export const moodle = system(
  { name: 'moodle', title: 'Moodle' },
  {
    forms: { sql: 'moodle-sql', csv: 'moodle-csv', json: 'moodle-json' },
    table: 'user',
    isPrefixed: true,
    has: 'id auth confirmed deleted suspended username password email',
    joins: {
      // The table exists since Moodle 4.3.
      tool_mfa: {
        table: 'tool_mfa',
        has: 'userid factor secret revoked',
        on: 'userid',
        keep: ({ factor, secret, label, revoked }) =>
          flagOf(revoked) === true ? undefined : { factor, secret, label },
        reads: 'label',
        unused: 'id timecreated createdfromip timemodified lastverified lockcounter',
        decides: 'factors',
        missing: 'Export it, too: mysqldump DATABASE mdl_user mdl_user_preferences mdl_tool_mfa > dump.sql.',
      },
      preferences: {
        table: 'user_preferences',
        has: 'userid name value',
        on: 'userid',
        keep: ({ name, value }) =>
          name === 'auth_forcepasswordchange' && flagOf(value) === true ? { mustChange: true } : undefined,
        unused: 'id',
      },
    },
    unusedTables: `analytics_predictions auth_oauth2_linked_login badge_issued block_recent_activity blog_external
      cohort_members config_log course_completions course_modules_completion enrol_paypal event events_queue_handlers
      external_tokens favourite files grade_grades groups_members log logstore_standard_log message_contacts
      message_conversation_members message_users_blocked my_pages notifications post role_assignments sessions tag
      tag_instance task_adhoc user_devices user_enrolments user_lastaccess user_password_history user_password_resets
      user_private_key`,
    id: 'id',
    email: 'email',
    // An administrator entered the addresses of the others.
    verified: ({ record }) => (record.auth === 'email' ? flagOf(record.confirmed) : undefined),
    joined: 'timecreated',
    hash: ({ record }) => passwordOf(record),
    metadata: 'username firstname lastname idnumber',
    states: {
      auth: byWord({
        ACTIVE: 'manual email oauth2 ldap db cas shibboleth lti mnet',
        DISABLED: 'nologin',
        SERVICE_ACCOUNT: 'webservice',
      }),
      // Sign-ups that nobody has confirmed.
      confirmed: 'active',
      deleted: 'deleted',
      suspended: 'disabled',
    },
    state: ({ record }) => (record.username === 'guest' ? 'ANONYMOUS' : undefined),
    factors: ({ joined }) => {
      const found = joined('tool_mfa');
      return (
        found.length > 0 &&
        found.flatMap(({ factor, secret, label: name }) =>
          factor === 'totp' ? totpOfBase32(secret, { name }) : [],
        )
      );
    },
    drops: { 'forced password changes': ({ joined }) => joined('preferences').length > 0 },
    unused: `policyagreed mnethostid emailstop icq skype yahoo aim msn phone1 phone2 institution department address city country
      lang calendartype theme timezone firstaccess lastaccess lastlogin currentlogin lastip secret picture url description
      descriptionformat mailformat maildigest maildisplay htmleditor ajax autosubscribe trackforums timemodified trustbitmask
      imagealt lastnamephonetic firstnamephonetic middlename alternatename moodlenetprofile screenreader`,
    note: 'Users of other plug-ins than manual and email (LDAP, OAuth 2, SAML and the like) have no hash and no id of their account: they need a new password.',
  },
);
