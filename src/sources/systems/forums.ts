import type { JsonObject } from '../../lib/json/json-object.ts';
import type { SourceRecord } from '../containers/table.ts';
import {
  digestHash,
  hashText,
  invalidHash,
  ofUser,
  pbkdf2Hash,
  selfDescribingHash,
  unknownAlgorithm,
} from '../fields/hashes.ts';
import { byWord, gravestState, type ReadState, stateOf } from '../fields/states.ts';
import { timeOf } from '../fields/time.ts';
import { bytesOf, flagOf, isSet, objectOf, textOf } from '../fields/values.ts';
import type { SourcePassword } from '../source-user.ts';
import { hashOf, type Row, system } from './declare.ts';

// phpBB

/** Prefix that early versions of phpBB put before a provider's name. */
const SERVICE = 'auth.provider.oauth.service.';

const CHARACTERS: Readonly<Record<string, string>> = { amp: '&', quot: '"', lt: '<', gt: '>', '#039': "'" };

/** Decodes text of phpBB, which is stored with HTML entities. */
const unescaped = (value: unknown) =>
  textOf(value)?.replace(/&(amp|quot|lt|gt|#039);/g, (entity, name: string) => CHARACTERS[name] ?? entity);

/** Prefix of hashes that phpBB took over from another forum and has not verified since. */
const CONVERTED = '$CP$';

function passwordOfPhpBb(encoded: string | undefined): SourcePassword | undefined {
  if (encoded === undefined) return undefined;
  if (encoded.startsWith(CONVERTED))
    return unknownAlgorithm(
      'phpBB took the hash over from another forum ($CP$), and does not say how it was made',
    );
  return { encoded, algorithm: 'phpbb' };
}

/** Schema: phpbb/phpbb: phpBB/phpbb/db/migration/data (3.0 to 4.0) */
export const phpbb = system('phpbb', 'phpBB', {
  isPrefixed: true,
  has: 'user_id user_type username_clean user_password user_email',
  joins: {
    // The table is `banlist` up to phpBB 3.3, and `bans` from 4.0 on. Bans of addresses have no user.
    bans: {
      has: 'ban_userid ban_end ban_exclude|ban_mode',
      on: ({ ban_userid, ban_exclude, ban_mode }) => {
        const isOfUser = ban_mode === undefined ? flagOf(ban_exclude) !== true : textOf(ban_mode) === 'user';
        return isSet(ban_userid) && isOfUser ? textOf(ban_userid) : undefined;
      },
      states: { ban_end: 'banned until' },
      unused: 'ban_id ban_ip ban_email ban_item ban_start ban_reason ban_give_reason ban_reason_display',
      decides: 'states',
      missing:
        'Export it, too: mysqldump DATABASE phpbb_users phpbb_banlist phpbb_oauth_accounts > dump.sql; from phpBB 4 on, phpbb_bans in place of phpbb_banlist.',
    },
    accounts: {
      has: 'user_id provider oauth_provider_id',
      are: 'accounts',
      keep: ({ provider, oauth_provider_id: userId }) => ({
        ...{ provider: textOf(provider)?.replace(SERVICE, ''), userId },
      }),
    },
  },
  unusedTables: `
      acl_roles acl_users bookmarks bots confirm disallow drafts forums forums_access forums_track forums_watch groups
      log login_attempts moderator_cache notification_emails notification_push notifications oauth_states oauth_tokens
      poll_votes posts privmsgs privmsgs_folder privmsgs_rules privmsgs_to profile_fields profile_fields_data
      profile_fields_lang push_subscriptions reports sessions sessions_keys topics topics_posted topics_track
      topics_watch user_group user_notifications warnings zebra`,
  id: 'user_id',
  email: ({ record }) => unescaped(record.user_email),
  joined: 'user_regdate',
  hash: ({ record }) => passwordOfPhpBb(hashText(record.user_password)),
  metadata: ({ record }) => ({ username: unescaped(record.username) }),
  // 0: ordinary users. 1: inactive ones. 2: bots and guests. 3: founders.
  states: { user_type: { 0: 'ACTIVE', 1: 'DISABLED', 2: 'SERVICE_ACCOUNT', 3: 'ACTIVE' } },
  reads: 'username',
  unused: `
    group_id user_permissions user_perm_from user_ip user_passchg user_pass_convert user_email_hash
    user_birthday user_lastvisit user_last_active user_last_confirm_key user_last_privmsg user_last_search
    user_last_warning user_lastmark user_lastpost_time user_lastpage user_warnings user_login_attempts
    user_inactive_reason user_inactive_time user_posts user_lang user_timezone user_dst user_dateformat
    user_style user_rank user_colour user_new_privmsg user_unread_privmsg user_message_rules
    user_full_folder user_emailtime user_topic_show_days user_topic_sortby_dir user_topic_sortby_type
    user_post_show_days user_post_sortby_dir user_post_sortby_type user_notify user_notify_pm
    user_notify_type user_allow_massemail user_allow_pm user_allow_viewemail user_allow_viewonline
    user_options user_avatar user_avatar_height user_avatar_type user_avatar_width user_sig
    user_sig_bbcode_bitfield user_sig_bbcode_uid user_from user_icq user_aim user_yim user_msnm user_jabber
    user_website user_occ user_interests user_actkey user_actkey_expiration user_newpasswd user_form_salt
    user_new user_reminded user_reminded_time reset_token reset_token_expiration`,
  warning: {
    text: 'The table of bans also bans addresses, which is not read: take people with these addresses out of the export.',
    when: ({ tables }) => tables.some(({ first }) => first.some(bansAddress)),
  },
});

const bansAddress = ({ ban_email, ban_mode }: SourceRecord) =>
  textOf(ban_email) !== undefined || ban_mode === 'email';

// MyBB

/** Ids of groups in every MyBB whose members cannot sign in: guests, users who await activation, and banned users. */
const GROUPS_OUT_OF_MYBB = new Set(['1', '5', '7']);

/** Splits a cell with ids of groups, which are separated by commas. */
const groupsIn = (cell: unknown): string[] =>
  (textOf(cell) ?? '').split(',').flatMap((id) => id.trim() || []);

/**
 * Whether a user is banned. A ban ends at `lifted`, or never if that is 0; at the next visit, MyBB then moves the user
 * back into the former groups. Any group of a user may be a group of banned users, and so may one that is not in the
 * export.
 */
function isBanned({ record, joined, hasDetail, nowMs }: Row): boolean {
  const bans = joined('banned');
  const isOver = ({ lifted }: SourceRecord) => isSet(lifted) && (timeOf(lifted) ?? nowMs) < nowMs;
  if (!bans.every(isOver)) return true;
  const main =
    bans.length === 0
      ? groupsIn(record.usergroup)
      : bans.flatMap(({ oldgroup, oldadditionalgroups }) => [
          ...groupsIn(oldgroup),
          ...groupsIn(oldadditionalgroups),
        ]);
  const isOfBanned = (group: string) => {
    const found = joined('usergroups', group);
    return hasDetail('usergroups') && !found.some(({ isbannedgroup }) => flagOf(isbannedgroup) === false);
  };
  return (
    main.length === 0 ||
    [...main, ...groupsIn(record.additionalgroups)].some(
      (group) => GROUPS_OUT_OF_MYBB.has(group) || isOfBanned(group),
    )
  );
}

/** Schema: mybb/mybb: install/resources/mysql_db_tables.php (1.8), inc/functions_user.php */
export const mybb = system('mybb', 'MyBB', {
  table: 'users',
  isPrefixed: true,
  has: 'uid username password salt loginkey email usergroup',
  joins: {
    banned: {
      table: 'banned',
      has: 'uid gid oldgroup lifted',
      keep: 'lifted oldgroup oldadditionalgroups',
      unused: 'olddisplaygroup admin dateline bantime reason',
      decides: 'states',
      missing: 'Export all three: mysqldump DATABASE mybb_users mybb_banned mybb_usergroups > dump.sql.',
    },
    // A site can mark any group as a group of banned users.
    usergroups: {
      table: 'usergroups',
      has: 'gid isbannedgroup',
      keep: 'isbannedgroup',
      unused: `type title description namestyle usertitle stars starimage image disporder canview canviewthreads
          canviewprofiles candlattachments canviewboardclosed canpostthreads canpostreplys canpostattachments canratethreads
          modposts modthreads mod_edit_posts modattachments caneditposts candeleteposts candeletethreads caneditattachments
          canviewdeletionnotice canpostpolls canvotepolls canundovotes canusepms cansendpms cantrackpms candenypmreceipts
          pmquota maxpmrecipients cansendemail cansendemailoverride maxemails emailfloodtime canviewmemberlist
          canviewcalendar canaddevents canbypasseventmod canmoderateevents canviewonline canviewwolinvis canviewonlineips
          cancp issupermod cansearch canusercp canuploadavatars canratemembers canchangename canbereported canbeinvisible
          canchangewebsite showforumteam usereputationsystem cangivereputations candeletereputations reputationpower
          maxreputationsday maxreputationsperuser maxreputationsperthread candisplaygroup attachquota cancustomtitle
          canwarnusers canreceivewarnings maxwarningsday canmodcp showinbirthdaylist canoverridepm canusesig
          canusesigxposts signofollow edittimelimit maxposts showmemberlist canmanageannounce canmanagemodqueue
          canmanagereportedcontent canviewmodlogs caneditprofiles canbanusers canviewwarnlogs canuseipsearch`,
      decides: 'states',
    },
  },
  unusedTables: `
      adminlog adminoptions adminsessions adminviews announcements attachments awaitingactivation buddyrequests
      delayedmoderation events forumsread forumsubscriptions groupleaders joinrequests maillogs mailqueue massemails
      moderatorlog pollvotes posts privatemessages promotionlogs reportedcontent reputation searchlog sessions spamlog
      threadratings threads threadsread threadsubscriptions warnings`,
  id: 'uid',
  joined: 'regdate',
  hash: ({ record: { password: hash, salt } }) => digestHash({ algorithm: 'mybb', salt, hash }),
  metadata: 'username',
  state: (row) => (isBanned(row) ? 'DISABLED' : undefined),
  lockedUntil: 'loginlockoutexpiry',
  reads: 'additionalgroups',
  unused: `postnum threadnum avatar avatardimensions avatartype displaygroup usertitle lastactive lastvisit
      lastpost website icq aim yahoo msn skype google birthday birthdayprivacy signature allownotices hideemail
      subscriptionmethod invisible receivepms receivefrombuddy pmnotice pmnotify buddyrequestspm buddyrequestsauto
      threadmode showimages showvideos showsigs showavatars showquickreply showredirect ppp tpp daysprune dateformat
      timeformat timezone dst dstcorrection buddylist ignorelist style away awaydate returndate awayreason pmfolders notepad
      referrer referrals reputation regip lastip language timeonline showcodebuttons totalpms unreadpms warningpoints
      moderateposts moderationtime suspendposting suspensiontime suspendsignature suspendsigtime coppauser classicpostbit
      loginattempts failedlogin usernotes sourceeditor`,
  note: 'MyBB signs in by name as well as by address, and keeps no flag for verified addresses: users sign in by their address here.',
});

// vBulletin

const md5Of = (hash: unknown, salt: unknown) => digestHash({ algorithm: 'vbulletin', salt, hash });

/**
 * Reads a hash. From vBulletin 5 on, `scheme` is its kind, and parameters after a colon. All hash the password's MD5.
 */
function passwordOfVBulletin({ scheme, token, password, salt }: SourceRecord): SourcePassword | undefined {
  const hash = hashText(token);
  if (hash === undefined) return md5Of(password, salt);
  const [name = ''] = (textOf(scheme) ?? '').split(':');
  if (name === 'blowfish') return hashOf('bcrypt-md5', hash);
  if (name === 'argon2id') return hashOf('argon2-md5', hash);
  // Hashes of earlier versions (`legacy`) have their salt after a blank.
  return name === 'legacy'
    ? md5Of(...(hash.split(/ (.*)/s, 2) as [string, string?]))
    : unknownAlgorithm('the scheme is none of vBulletin');
}

/**
 * Groups of every vBulletin that cannot sign in: guests, users who await confirmation or approval, and banned users.
 */
const GROUPS_OUT_OF_VBULLETIN: ReadonlySet<string> = new Set(['1', '3', '4', '8']);
/** Bit of `genericoptions` that is not set for groups of banned users. */
const IS_NOT_BANNED = 32;

/**
 * Reads the state from the group, or for a banned user from the former group, which the user gets back after the ban.
 */
function stateOfGroup(row: Row): ReadState {
  const [ban = row.record] = row.joined('userban');
  const id = textOf(ban.usergroupid) ?? '';
  if (GROUPS_OUT_OF_VBULLETIN.has(id)) return 'DISABLED';
  if (!row.hasDetail('usergroup')) return undefined;
  const options = textOf(row.joined('usergroup', id)[0]?.genericoptions);
  return (Number(options ?? 0) & IS_NOT_BANNED) === 0 ? 'DISABLED' : undefined;
}

const DUMP = 'Export all together: mysqldump DATABASE user userban usergroup userloginmfa > dump.sql.';

/** Schema: tables of vBulletin 3.8, 4.2, 5 and 6: user, userban, usergroup. The source is not public. */
export const vbulletin = system('vbulletin', 'vBulletin', {
  table: 'user',
  isPrefixed: true,
  has: 'userid username email joindate usergroupid password|token',
  id: 'userid',
  joined: 'joindate',
  hash: ({ record }) => passwordOfVBulletin(record),
  identities: { fbuserid: 'facebook' },
  metadata: 'username displayname',
  state: stateOfGroup,
  joins: {
    userban: {
      table: 'userban',
      has: 'userid liftdate bandate',
      keep: 'usergroupid',
      states: { liftdate: 'banned until' },
      unused: 'displaygroupid usertitle customtitle adminid reason',
      of: 'one',
      decides: 'states',
      missing: DUMP,
    },
    // Groups that a site has added may be groups of banned users.
    usergroup: {
      table: 'usergroup',
      has: 'usergroupid genericoptions',
      keep: 'genericoptions',
      unused: '*',
      of: 'one',
      decides: 'states',
      missing: DUMP,
    },
    userloginmfa: {
      table: 'userloginmfa',
      has: 'userid enabled secret',
      are: 'factors',
      keep: ({ enabled }) => (isSet(enabled) ? {} : undefined),
      unused: 'dateline',
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
      access administrator adminlog album announcement announcementread apiclient apipost attachment
      attachmentcategoryuser autosave autosavetext calendarmoderator contentread cpsession customavatar customprofile
      customprofilepic deletionlog discussionread editlog event filedata forumread groupread infraction mailqueue
      messagefolder moderator moderatorlog node nodehash nodevote noticedismissed passwordhistory paymentinfo phrase
      phrasehistory picturecomment pm pmreceipt pmtext pmthrottle pollvote post postedithistory posthash
      privacyconsent profileblockprivacy profilevisitor reminder reputation rssfeed searchcore searchgroup searchlog
      sentto session sigpic socialgroupmember strikes stylevar subscribediscussion subscribeevent subscribeforum
      subscribegroup subscribethread subscriptionlog tachyforumcounter tachyforumpost tachythreadcounter
      tachythreadpost tagcontent template templatehistory thread threadrate threadread upgradelog useractivation
      userauth userchangelog usercss usercsscache userfield usergroupleader usergrouprequest userlist usernote
      userpromotion userreferral userstylevar usertextfield usertitle visitormessage widgetuser`,
  note: 'vBulletin keeps no flag for verified addresses, and nobody who awaits confirmation is imported.',
});

// NodeBB

/**
 * Reads whether a user is banned. A ban is the flag `banned`, and may have an end. Versions 1.17 to 3.8 wrote only
 * the end. They wrote 0 both for a ban without an end and for a lifted ban, and listed the banned users in
 * `users:banned`.
 */
function banOf(row: Row): ReadState {
  const { banned, 'banned:expire': end } = row.record;
  const byFlag = stateOf('banned', banned, 'disabled', row);
  if (isSet(end)) {
    const byEnd = stateOf('banned:expire', end, 'disabled until', row);
    return gravestState([byEnd, byFlag === 'DISABLED' ? undefined : byFlag]);
  }
  if (row.joined('banned').length > 0) return 'DISABLED';
  const isOpen = textOf(end) === '0' && (banned === undefined || banned === null || banned === '');
  if (!isOpen || row.hasDetail('banned') || row.ruled.has('banned:expire')) return byFlag;
  return { column: 'banned:expire', word: '0' };
}

/** Schema: NodeBB/NodeBB 4: src/user/create.js, src/user/data.js, src/user/bans.js */
export const nodebb = system('nodebb', 'NodeBB', {
  forms: { json: 'nodebb-json', csv: 'nodebb-csv' },
  has: 'uid username userslug joindate',
  joins: {
    banned: {
      has: '_key value score',
      on: ({ _key, value }) => (_key === 'users:banned' ? textOf(value) : undefined),
      keep: 'value',
      unused: '_id',
    },
  },
  id: 'uid',
  email: 'email',
  verified: 'email:confirmed',
  joined: 'joindate',
  // Since 2017, hashes are bcrypt of the password's SHA-512 in hexadecimal digits.
  hash: ({ record }) => {
    const encoded = hashText(record.password);
    return flagOf(record['password:shaWrapped']) === true && encoded !== undefined
      ? { encoded, algorithm: 'bcrypt-sha512' }
      : selfDescribingHash(encoded);
  },
  // The plugins for social logins add these columns.
  identities: { gplusid: 'google', githubid: 'github', fbid: 'facebook', twid: 'twitter' },
  metadata: 'username name=fullname location website birthday signature aboutme',
  state: banOf,
  drops: { 'temporary locks': 'muted' },
  reads: 'password password:shaWrapped banned banned:expire',
  unused:
    '_id _key url lastonline lastqueuetime lastposttime picture uploadedpicture icon:text icon:bgColor cover:url cover:position ' +
    'profileviews reputation postcount topiccount status flags followerCount followingCount blocksCount groupTitle ' +
    'mutedUntil mutedReason passwordExpiry rss_token gdpr_consent acceptTos digest registration_key email:pending fullname',
  note: 'Export only the objects user:1, user:2, …: mongoexport -c objects -q \'{"_key":{"$regex":"^user:[0-9]+$"}}\' --jsonFormat=canonical. Second factors of plugins stand in other objects. Versions 1.17 to 3.8 list those who are banned for ever elsewhere: mongoexport -c objects -q \'{"_key":"users:banned"}\' -o banned.json',
});

// XenForo

/** One text, number, flag or null of a serialized array: `s:4:"hash";`, `i:10;`, `N;`. Lengths of texts are in bytes. */
const CELL = /^(?:s:(\d+):"|[idb]:([^;"]*);|N;)/;

/** Parses a flat array that PHP has serialized: `a:1:{s:4:"hash";s:60:"$2y$…";}`. Undefined for anything else. */
function phpArrayOf(value: unknown): Readonly<Record<string, string>> | undefined {
  const bytes = Buffer.from(textOf(value) ?? '');
  const textAt = (start: number, end: number) => bytes.toString('utf8', start, end);
  let at = /^a:\d+:\{/.exec(textAt(0, 16))?.[0].length;
  const cells: string[] = [];
  while (at !== undefined && bytes[at] !== CLOSE) {
    const [head, length, scalar = ''] = CELL.exec(textAt(at, at + 64)) ?? [];
    if (head === undefined) return undefined;
    const start: number = at + Buffer.byteLength(head);
    const end: number = start + Number(length ?? 0);
    cells.push(length === undefined ? scalar : textAt(start, end));
    at = length === undefined ? start : end + '";'.length;
  }
  return at === undefined ? undefined : Object.fromEntries(pairs(cells));
}

const CLOSE = '}'.charCodeAt(0);

const pairs = (cells: readonly string[]): [string, string][] =>
  cells.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name, cells[index + 1] ?? '']] : [],
  );

const membersOf = (data: unknown): JsonObject => phpArrayOf(data) ?? objectOf(data) ?? {};

/** Algorithms by `scheme_class` of XenForo 1 and 2, for hashes with a digest and a salt that come from other forums. */
const SALTED: Readonly<Record<string, string>> = {
  vBulletin: 'vbulletin',
  MyBb: 'mybb',
  IPBoard: 'ipb2',
  IpsForums3x: 'ipb2',
};
/** Values of `scheme_class` with complete hashes, whose format shows their family. */
const WHOLE_HASHES: ReadonlySet<string> = new Set(['Core12', 'PhpBb3', 'IPBoard40x', 'IpsForums4x']);

function passwordOfXenForo({ scheme_class, data }: JsonObject): SourcePassword | undefined {
  const scheme = (textOf(scheme_class) ?? '').replace(/^(?:XenForo_Authentication_|XF:)/, '');
  const { hash, salt, hashFunc, token, username, algo, iterations } = membersOf(data);
  if (WHOLE_HASHES.has(scheme)) return selfDescribingHash(hash);
  if (scheme === 'Core' || scheme === 'Default') {
    // Without `hashFunc`, PHP on the old server chose the digest. The length of the hash shows which one.
    const digest = textOf(hashFunc) ?? (textOf(hash)?.length === 40 ? 'sha1' : 'sha256');
    return digestHash({ algorithm: `xenforo-${digest}`, salt, hash });
  }
  if (scheme === 'vBulletin5') return hashOf('bcrypt-md5', token);
  if (scheme === 'SMF')
    return digestHash({ algorithm: 'smf1', parameters: ofUser(textOf(username) ?? ''), salt: '', hash });
  if (scheme === 'Discourse' && algo === 'sha256')
    return pbkdf2Hash({
      ...{ digest: 'sha256', iterations, salt: bytesOf(salt, 'utf8'), hash: bytesOf(hash, 'hex') },
    });
  const algorithm = Object.hasOwn(SALTED, scheme) ? SALTED[scheme] : undefined;
  return algorithm === undefined
    ? unknownAlgorithm('scheme_class is none of XenForo itself')
    : digestHash({ algorithm, salt, hash });
}

const NO_PASSWORD = /(?:NoPassword|invalid)$/;

/** Reads the password of a user. Only a scheme for users without a password means that there is none. */
const passwordIn = (row: JsonObject): SourcePassword | undefined =>
  NO_PASSWORD.test(textOf(row.scheme_class) ?? '')
    ? undefined
    : (passwordOfXenForo(row) ?? invalidHash('data has no hash, or cannot be read'));

const XENFORO_DUMP =
  'Export all together: mysqldump DATABASE xf_user xf_user_authenticate xf_user_ban xf_user_connected_account xf_user_tfa > dump.sql.';

/** Schema: XenForo 1.1 to 2.3: install/data/MySql.php, XF/Entity/User.php, XF/Authentication, XF/Service/User/LoginService.php */
export const xenforo = system('xenforo', 'XenForo', {
  table: 'xf_user',
  has: 'user_id username email user_group_id secondary_group_ids user_state is_banned register_date',
  joins: {
    xf_user_authenticate: {
      table: 'xf_user_authenticate',
      has: 'user_id scheme_class data',
      keep: 'scheme_class data',
      unused: 'remember_key',
      missing: `The table xf_user_authenticate is missing: it has all password hashes. ${XENFORO_DUMP}`,
    },
    xf_user_ban: {
      table: 'xf_user_ban',
      has: 'user_id ban_user_id end_date',
      states: { end_date: 'banned until' },
      unused: 'ban_date user_reason triggered',
      missing: `The table xf_user_ban is missing: a ban that has ended counts until XenForo lifts it. ${XENFORO_DUMP}`,
    },
    // The table is `xf_user_external_auth` in XenForo 1.
    xf_user_connected_account: {
      table: 'xf_user_connected_account xf_user_external_auth',
      has: 'user_id provider provider_key',
      keep: 'provider userId=provider_key',
      are: 'accounts',
      unused: 'extra_data',
      missing: `The table xf_user_connected_account is missing: without it, social logins are lost. ${XENFORO_DUMP}`,
    },
    xf_user_tfa: {
      table: 'xf_user_tfa',
      has: 'user_id provider_id provider_data',
      are: 'factors',
      keep: ({ provider_id, provider_data }) =>
        provider_id === 'totp' ? { secret: membersOf(provider_data).secret } : {},
      unused: 'user_tfa_id last_used_date',
      missing: `${XENFORO_DUMP} XenForo has xf_user_tfa from 1.5 on.`,
    },
  },
  id: 'user_id',
  // Administrators choose whether addresses must be confirmed, so it is unknown, except in these two states: the
  // address was changed and not confirmed yet, or mail to it bounces.
  verified: ({ record: { user_state } }) =>
    user_state === 'email_confirm_edit' || user_state === 'email_bounce' ? false : undefined,
  joined: 'register_date',
  // A password that was locked is refused until the user resets it by e-mail.
  hash: ({ record, joined }) =>
    record.security_lock === 'reset' ? undefined : passwordIn(joined('xf_user_authenticate')[0] ?? {}),
  metadata: 'username',
  states: {
    // A moderator may have to approve users after they have confirmed their address.
    user_state: byWord({
      ACTIVE: 'valid email_confirm_edit email_bounce',
      DISABLED: 'email_confirm moderated rejected disabled',
    }),
    security_lock: { '': 'ACTIVE', change: 'ACTIVE', reset: 'ACTIVE' },
  },
  mayLack: { security_lock: 'XenForo 1 has none' },
  // If a user has records in xf_user_ban, they say when the ban ends. Otherwise, the flag decides.
  state: (row) =>
    row.joined('xf_user_ban').length === 0
      ? stateOf('is_banned', row.record.is_banned ?? null, 'disabled', row)
      : undefined,
  roles: 'is_admin is_moderator',
  drops: { 'forced password changes': ({ record }) => record.security_lock === 'change' },
  unused: `username_date username_date_visible gender custom_title language_id style_id style_variation timezone visible
      activity_visible display_style_group_id permission_combination_id message_count question_solution_count
      conversations_unread last_activity last_summary_email_date trophy_points alerts_unviewed alerts_unread avatar_date
      avatar_width avatar_height avatar_highdpi avatar_optimized gravatar like_count reaction_score
      vote_score warning_points is_staff secret_key privacy_policy_accepted terms_accepted`,
  unusedTables: `
    xf_admin xf_admin_log xf_admin_permission_entry xf_api_attachment_key xf_api_key
    xf_api_login_token xf_approval_queue xf_attachment xf_attachment_data xf_ban_email
    xf_bb_code_parse_cache xf_bookmark_item xf_bookmark_label xf_change_log xf_content_activity_log
    xf_content_spam_cache xf_content_vote xf_conversation_master xf_conversation_message
    xf_conversation_recipient xf_conversation_user xf_cookie_consent_log xf_deletion_log xf_draft
    xf_edit_history xf_email_bounce_log xf_email_bounce_soft xf_error_log xf_featured_content xf_feed
    xf_find_new xf_find_new_default xf_flood_check xf_forum xf_forum_read xf_forum_watch xf_icon_usage xf_ip
    xf_ip_match xf_liked_content xf_moderation_queue xf_moderator xf_moderator_content xf_moderator_log
    xf_news_feed xf_notice xf_notice_dismissed xf_oauth_client xf_oauth_request xf_oauth_token xf_passkey
    xf_permission xf_permission_cache_content xf_permission_combination xf_permission_entry
    xf_permission_entry_content xf_poll xf_poll_vote xf_post xf_pre_reg_action xf_profile_post
    xf_profile_post_comment xf_purchase_request xf_reaction_content xf_report xf_report_comment xf_route
    xf_search xf_search_forum xf_search_forum_cache_user xf_search_index xf_session_activity
    xf_spam_cleaner_log xf_spam_trigger_log xf_style_property xf_tag_content xf_tag_result_cache
    xf_tfa_attempt xf_thread xf_thread_field xf_thread_question xf_thread_read xf_thread_reply_ban
    xf_thread_user_post xf_thread_watch xf_upgrade_log xf_user_alert xf_user_alert_optout
    xf_user_change_temp xf_user_confirmation xf_user_field xf_user_field_value xf_user_follow
    xf_user_group_change xf_user_group_promotion_log xf_user_group_relation xf_user_ignored
    xf_user_news_feed_cache xf_user_option xf_user_privacy xf_user_profile xf_user_push_optout
    xf_user_push_subscription xf_user_reject xf_user_remember xf_user_status xf_user_tfa_trusted
    xf_user_trophy xf_user_upgrade_active xf_user_upgrade_expired xf_user_upgrade_log xf_username_change
    xf_warning xf_warning_action_trigger`,
});
