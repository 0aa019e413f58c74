import { selfDescribingHash } from '../fields/hashes.ts';
import { gravestState, type ReadState, stateOf } from '../fields/states.ts';
import { flagOf, isSet, textOf } from '../fields/values.ts';
import { type Row, system } from './declare.ts';

/**
 * A ban is the flag `banned`, which may have an end. Versions 1.17 to 3.8 wrote the end alone, as 0 for a ban without an
 * end and for one that was lifted, and listed those who are banned in `users:banned`.
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
export const nodebb = system(
  { name: 'nodebb', title: 'NodeBB' },
  {
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
    // Since 2017, bcrypt of the SHA-512 of the password in hexadecimal digits.
    hash: ({ record }) => {
      const encoded = textOf(record.password);
      return flagOf(record['password:shaWrapped']) === true && encoded !== undefined
        ? { encoded, algorithm: 'bcrypt-sha512' }
        : selfDescribingHash(encoded);
    },
    // Columns of the plugins for social logins.
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
  },
);
