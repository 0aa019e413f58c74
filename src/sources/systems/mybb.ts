import type { SourceRecord } from '../containers/table.ts';
import { digestHash } from '../fields/hashes.ts';
import { timeOf } from '../fields/time.ts';
import { flagOf, isSet, textOf } from '../fields/values.ts';
import { type Row, system } from './declare.ts';

/** Groups of every MyBB: guests, those who await activation, and banned users. */
const OUT = new Set(['1', '5', '7']);

/** Ids of groups with commas between them. */
const groupsIn = (cell: unknown): string[] =>
  (textOf(cell) ?? '').split(',').flatMap((id) => id.trim() || []);

/**
 * A ban ends at `lifted`, and never if that is 0. MyBB moves the user back into the old groups at the next visit. Each
 * group of a user may be one of banned users; one that is not there counts as such.
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
    [...main, ...groupsIn(record.additionalgroups)].some((group) => OUT.has(group) || isOfBanned(group))
  );
}

/** Schema: mybb/mybb: install/resources/mysql_db_tables.php (1.8), inc/functions_user.php */
export const mybb = system(
  { name: 'mybb', title: 'MyBB' },
  {
    forms: { sql: 'mybb-sql', csv: 'mybb-csv', json: 'mybb-json' },
    table: 'users',
    isPrefixed: true,
    has: 'uid username password salt loginkey email usergroup',
    joins: {
      banned: {
        table: 'banned',
        has: 'uid gid oldgroup lifted',
        on: 'uid',
        keep: 'lifted oldgroup oldadditionalgroups',
        unused: 'olddisplaygroup admin dateline bantime reason',
        decides: 'states',
        missing: 'Export all three: mysqldump DATABASE mybb_users mybb_banned mybb_usergroups > dump.sql.',
      },
      // Groups may be groups of banned users.
      usergroups: {
        table: 'usergroups',
        has: 'gid isbannedgroup',
        on: 'gid',
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
    unusedTables: `adminlog adminoptions adminsessions adminviews announcements attachments awaitingactivation buddyrequests
      delayedmoderation events forums forumsread forumsubscriptions groupleaders joinrequests maillogs massemails moderatorlog
      moderators pollvotes posts privatemessages promotionlogs reportedcontent reputation searchlog sessions spamlog
      threadratings threads threadsread threadsubscriptions userfields warnings`,
    id: 'uid',
    email: 'email',
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
  },
);
