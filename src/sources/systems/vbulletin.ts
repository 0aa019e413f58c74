import type { SourceRecord } from '../containers/table.ts';
import { digestHash, unknownAlgorithm } from '../fields/hashes.ts';
import type { ReadState } from '../fields/states.ts';
import { isSet, textOf } from '../fields/values.ts';
import type { SourcePassword } from '../source-user.ts';
import { hashOf, type Row, system } from './declare.ts';

const md5Of = (hash: unknown, salt: unknown) => digestHash({ algorithm: 'vbulletin', salt, hash });

/** From vBulletin 5 on, `scheme` names the hash, with its parameters behind a colon. All are of the MD5 of the password. */
function passwordOf({ scheme, token, password, salt }: SourceRecord): SourcePassword | undefined {
  const hash = textOf(token);
  if (hash === undefined) return md5Of(password, salt);
  const [name = ''] = (textOf(scheme) ?? '').split(':');
  if (name === 'blowfish') return hashOf('bcrypt-md5', hash);
  if (name === 'argon2id') return hashOf('argon2-md5', hash);
  // The salt of hashes from before is behind a blank.
  return name === 'legacy'
    ? md5Of(...(hash.split(/ (.*)/s, 2) as [string, string?]))
    : unknownAlgorithm('the scheme is none of vBulletin');
}

/** Groups of every vBulletin: guests, those who await confirmation or approval, and banned users. */
const OUT: ReadonlySet<string> = new Set(['1', '3', '4', '8']);
/** Bit of `genericoptions` that groups of banned users lack. */
const IS_NOT_BANNED = 32;

/** vBulletin gives a user the former group back some time after the end of a ban, so until then that group counts. */
function stateOfGroup(row: Row): ReadState {
  const [ban = row.record] = row.joined('userban');
  const id = textOf(ban.usergroupid) ?? '';
  if (OUT.has(id)) return 'DISABLED';
  if (!row.hasDetail('usergroup')) return undefined;
  const options = textOf(row.joined('usergroup', id)[0]?.genericoptions);
  return (Number(options ?? 0) & IS_NOT_BANNED) === 0 ? 'DISABLED' : undefined;
}

const DUMP = 'Export all together: mysqldump DATABASE user userban usergroup userloginmfa > dump.sql.';

/** Schema: tables of vBulletin 3.8, 4.2, 5 and 6: user, userban, usergroup. The source is not public. */
export const vbulletin = system(
  { name: 'vbulletin', title: 'vBulletin' },
  {
    forms: { sql: 'vbulletin-sql', csv: 'vbulletin-csv', json: 'vbulletin-json' },
    table: 'user',
    isPrefixed: true,
    has: 'userid username email joindate usergroupid password|token',
    id: 'userid',
    email: 'email',
    joined: 'joindate',
    hash: ({ record }) => passwordOf(record),
    identities: { fbuserid: 'facebook' },
    metadata: 'username displayname',
    state: stateOfGroup,
    factors: ({ joined }) => joined('userloginmfa').some(({ enabled }) => isSet(enabled)),
    joins: {
      userban: {
        table: 'userban',
        has: 'userid liftdate bandate',
        on: 'userid',
        keep: 'usergroupid',
        states: { liftdate: 'banned until' },
        unused: 'displaygroupid usertitle customtitle adminid reason',
        of: 'one',
        decides: 'states',
        missing: DUMP,
      },
      // Groups of one's own may be groups of banned users.
      usergroup: {
        table: 'usergroup',
        has: 'usergroupid genericoptions',
        on: 'usergroupid',
        keep: 'genericoptions',
        unused: '*',
        of: 'one',
        decides: 'states',
        missing: DUMP,
      },
      userloginmfa: {
        table: 'userloginmfa',
        has: 'userid enabled secret',
        on: 'userid',
        keep: 'enabled',
        unused: 'dateline',
        decides: 'factors',
        missing: `${DUMP} vBulletin has userloginmfa from 5 on.`,
      },
    },
    reads: 'scheme token password salt',
    unused: `
      membergroupids displaygroupid secret passworddate styleid parentemail homepage icq aim yahoo msn skype google
      status showvbcode showbirthday usertitle customtitle daysprune lastvisit lastactivity lastpost lastpostid posts
      reputation reputationlevelid timezoneoffset pmpopup avatarid avatarrevision profilepicrevision sigpicrevision
      options notification_options privacy_options moderatornotificationoptions moderatoremailnotificationoptions
      birthday birthday_search maxposts startofweek ipaddress referrerid languageid emailstamp threadedmode
      autosubscribe emailnotification pmtotal pmunread ipoints infractions warnings infractiongroupids
      infractiongroupid adminoptions profilevisits friendcount friendreqcount vmunreadcount vmmoderatedcount
      socgroupinvitecount socgroupreqcount pcunreadcount pcmoderatedcount gmmoderatedcount assetposthash fbjoindate
      fbname logintype fbaccesstoken newrepcount privacyconsent privacyconsentupdated eustatus editorstate`,
    unusedTables: `
      access administrator adminlog announcement announcementread attachment calendarmoderator contentread cpsession
      customavatar customprofilepic deletionlog editlog event groupread infraction moderator moderatorlog passwordhistory
      picturecomment pm pmreceipt pmtext pollvote post privacyconsent profileblockprivacy profilevisitor reminder
      reputation session sigpic socialgroupmember strikes subscribeevent subscribeforum subscribediscussion
      subscribegroup subscribethread subscriptionlog tachyforumpost thread threadrate threadread upgradelog useractivation
      userauth userchangelog usercss usercsscache userfield usergrouprequest userlist usernote userpromotion
      userreferral userstylevar usertextfield usertitle visitormessage`,
    note: 'vBulletin keeps no flag for verified addresses, and nobody who awaits confirmation is imported.',
  },
);
