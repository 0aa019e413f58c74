import type { SourceRecord } from '../containers/table.ts';
import { ldapPassword } from '../fields/ldap-password.ts';
import { isDemanded } from '../fields/second-factors.ts';
import { shownCell } from '../fields/shown-name.ts';
import { gravestState, type Meaning, type ReadState, stateOf } from '../fields/states.ts';
import { timeOf } from '../fields/time.ts';
import { expiryOf, stateOfAge, stateOfShell } from '../fields/unix-account.ts';
import { flagOf, listOf, textOf } from '../fields/values.ts';
import { keptColumns } from '../mapping/column.ts';
import { LONGEST_LOCK_MS, type Row, type Seen, system, type Users, words } from './declare.ts';

/**
 * Attributes without a use: of RFC 2256, 2307, 2798 and 4524, of OpenLDAP with its password policies (schema of 2.5),
 * and of Samba 3.
 */
const PEOPLE = `
  audio authtimestamp businesscategory c carlicense changetype co collectiveattributesubentries contextcsn
  creatorsname dc departmentnumber description destinationindicator dnqualifier drink employeenumber entrycsn
  entrydn facsimiletelephonenumber favouritedrink fax gecos generationqualifier gidnumber governingstructurerule
  hassubordinates homedirectory homephone homepostaladdress hometelephonenumber host houseidentifier info initials
  internationalisdnnumber janetmailbox jpegphoto l labeleduri mailalternateaddress mailforwardingaddress mailhost
  maillocaladdress mailmessagestore mailpreferenceoption mailquota mailroutingaddress manager member memberuid
  mobiletelephonenumber modifiersname modifytimestamp name o othermailbox ou pager pagertelephonenumber
  personalsignature personaltitle photo physicaldeliveryofficename postaladdress postalcode postofficebox
  preferreddeliverymethod preferredlanguage pwdaccounttmplockoutend pwdchangedtime pwdexpirationwarned
  pwdfailuretime pwdgraceusetime pwdhistory pwdlastsuccess pwdpolicysubentry registeredaddress rfc822mailbox
  roomnumber sambabadpasswordcount sambabadpasswordtime sambadomainname sambahomedrive sambahomepath
  sambalmpassword sambalogofftime sambalogonhours sambalogonscript sambalogontime sambamungeddial sambantpassword
  sambapasswordhistory sambaprimarygroupsid sambaprofilepath sambapwdcanchange sambapwdlastset sambapwdmustchange
  sambasid sambauserworkstations secretary seealso serialnumber shadowflag shadowmin shadowwarning sshpublickey st
  street structuralobjectclass subschemasubentry teletexterminalidentifier telexnumber textencodedoraddress title
  uidnumber uniqueidentifier uniquemember usercertificate userclass userid userpkcs12 usersmimecertificate version
  x121address x500uniqueidentifier`;

/** Attributes without a use: of 389 Directory Server 2.3 (share/dirsrv/schema). */
const DS389 = `
  acctpolicysubentry aci dsentrydn entryid entryusn internalcreatorsname internalmodifiersname lastloginhistory
  lastlogintime lastmodifiedby lastmodifiedtime legalname nsbackendsuffix nscertsubjectdn nscpentrydn nscpentrywsi
  nsds5replconflict nsidletimeout nsidlistscanlimit nslookthroughlimit nspagedidlistscanlimit
  nspagedlookthroughlimit nspagedsizelimit nsparentuniqueid nssizelimit nssshpublickey nstimelimit nstombstonecsn
  nsuniqueid nsview numsubordinates parentid passwordallowchangetime passwordexpirationtime passwordexpwarned
  passwordgraceusertime passwordhistory passwordretrycount pwdtprexpireat pwdtprreset pwdtprusecount
  pwdtprvalidfrom pwdupdatetime retrycountresettime`;

/** Attributes without a use: of FreeIPA 4, and of the Kerberos schema of MIT. */
const FREEIPA = `
  ipacertmapdata ipaidpconfiglink ipaidpsub ipanthash ipanthomedirectory ipanthomedirectorydrive ipantlogonscript
  ipantprofilepath ipantsecurityidentifier ipasshpubkey ipasubidentry ipatokenradiusconfiglink
  ipatokenradiususername ipauniqueid krballowedtodelegateto krbcanonicalname krbextradata krblastadminunlock
  krblastfailedauth krblastpwdchange krblastsuccessfulauth krbloginfailedcount krbmaxrenewableage krbmaxticketlife
  krbobjectreferences krbpasswordexpiration krbprincipalaliases krbprincipalauthind krbprincipalkey
  krbprincipalname krbprincipaltype krbpwdhistory krbpwdmaxfailure krbpwdpolicyreference krbticketpolicyreference
  krbupenabled memberdenygroup memberofindirect mepmanagedentry`;

/**
 * Attributes without a use: of the class user of Active Directory up to 2016. Left out are attributes that only servers
 * have, and attributes that an organisation may fill with anything.
 */
const ACTIVE_DIRECTORY = `
  accountnamehistory admincount admindescription admindisplayname
  altsecurityidentities assistant attributecertificateattribute badpasswordtime badpwdcount canonicalname
  codepage comment company controlaccessrights countrycode dbcspwd defaultclassstore department
  desktopprofile directreports displaynameprintable distinguishedname division dsasignature
  dscorepropagationdata employeeid extensionname flags garbagecollperiod groupmembershipsam grouppriority
  groupstoignore homedrive instancetype ipphone iscriticalsystemobject isprivilegeholder lastknownparent
  lastlogoff lastlogon lastlogontimestamp legacyexchangedn lmpwdhistory localeid lockouttime logoncount
  logonhours logonworkstation managedobjects maxstorage mhsoraddress middlename ms-ds-consistencychildcount
  ms-ds-consistencyguid ms-ds-creatorsid msdrm-identitycertificate msds-allowedtoactonbehalfofotheridentity
  msds-allowedtodelegateto msds-approx-immed-subordinates msds-assignedauthnpolicy
  msds-assignedauthnpolicysilo msds-authenticatedatdc msds-authenticatedtoaccountlist
  msds-authnpolicysilomembersbl msds-cached-membership msds-cached-membership-time-stamp msds-cloudanchor
  msds-externaldirectoryobjectid msds-failedinteractivelogoncount
  msds-failedinteractivelogoncountatlastsuccessfullogon msds-geocoordinatesaltitude
  msds-geocoordinateslatitude msds-geocoordinateslongitude msds-habseniorityindex msds-isprimarycomputerfor
  msds-keycredentiallink msds-keyprincipalbl msds-keyversionnumber msds-lastfailedinteractivelogontime
  msds-lastknownrdn msds-lastsuccessfulinteractivelogontime msds-localeffectivedeletiontime
  msds-localeffectiverecycletime msds-memberoftransitive msds-membertransitive msds-objectsoa
  msds-phoneticcompanyname msds-phoneticdepartment msds-phoneticdisplayname msds-phoneticfirstname
  msds-phoneticlastname msds-primarycomputer msds-principalname msds-resultantpso msds-sourceanchor
  msds-sourceobjectdn msds-supportedencryptiontypes msds-tokengroupnames
  msds-tokengroupnamesglobalanduniversal msds-tokengroupnamesnogcacceptable
  msds-user-account-control-computed msds-userpasswordexpirytimecomputed msexchassistantname
  msexchhouseidentifier msexchlabeleduri msiis-ftpdir msiis-ftproot msmqdigests msmqdigestsmig
  msmqsigncertificates msmqsigncertificatesmig msnpallowdialin msnpcallingstationid
  msnpsavedcallingstationid mspki-credentialroamingtokens mspkiaccountcredentials mspkidpapimasterkeys
  mspkiroamingtimestamp msradius-framedinterfaceid msradius-framedipv6prefix msradius-framedipv6route
  msradius-savedframedinterfaceid msradius-savedframedipv6prefix msradius-savedframedipv6route
  msradiuscallbacknumber msradiusframedipaddress msradiusframedroute msradiusservicetype
  msrassavedcallbacknumber msrassavedframedipaddress msrassavedframedroute mssfu30name mssfu30nisdomain
  mssfu30posixmemberof mstsallowlogon mstsbrokenconnectionaction mstsconnectclientdrives
  mstsconnectprinterdrives mstsdefaulttomainprinter mstsexpiredate mstsexpiredate2 mstsexpiredate3
  mstsexpiredate4 mstshomedirectory mstshomedrive mstsinitialprogram mstslicenseversion mstslicenseversion2
  mstslicenseversion3 mstslicenseversion4 mstslsproperty01 mstslsproperty02 mstsmanagingls mstsmanagingls2
  mstsmanagingls3 mstsmanagingls4 mstsmaxconnectiontime mstsmaxdisconnectiontime mstsmaxidletime
  mstsprimarydesktop mstsprofilepath mstsproperty01 mstsproperty02 mstsreconnectionaction mstsremotecontrol
  mstssecondarydesktops mstsworkdirectory networkaddress nonsecuritymemberbl ntpwdhistory
  ntsecuritydescriptor objectcategory objectguid objectsid objectversion operatorcount
  otherfacsimiletelephonenumber otherhomephone otheripphone otherloginworkstations othermobile otherpager
  othertelephone ownerbl preferredou primarygroupid primaryinternationalisdnnumber primarytelexnumber
  profilepath proxiedobjectname proxyaddresses revision rid samaccountname samaccounttype scriptpath
  securityidentifier serviceprincipalname showinaddressbook showinadvancedviewonly sidhistory streetaddress
  supplementalcredentials systemflags terminalserver thumbnaillogo thumbnailphoto tokengroups
  tokengroupsglobalanduniversal tokengroupsnogcacceptable unicodepwd unixhomedirectory unixuserpassword url
  usercert userparameters userprincipalname usersharedfolder usersharedfolderother userworkstations
  usnchanged usncreated usndsalastobjremoved usnlastobjrem usnsource wbempath whenchanged wwwhomepage`;

/** Attributes without a use: of ForgeRock DS and OpenDJ. */
const FORGEROCK = `
  authpassword ds-certificate-fingerprint ds-certificate-subject-dn ds-entry-checksum
  ds-privilege-name ds-pwp-last-login-time ds-pwp-password-changed-by-required-time
  ds-pwp-password-expiration-time ds-pwp-password-policy-dn ds-pwp-reset-time ds-pwp-warned-time
  ds-rlim-idle-time-limit ds-rlim-lookthrough-limit ds-rlim-size-limit ds-rlim-time-limit ds-sync-conflict
  ds-sync-hist etag ismemberof pwdchangedby`;

/** Attributes without a use: of NetIQ eDirectory. */
const EDIRECTORY = `
  acl fullname generationalqualifier groupmembership guid language lastlogintime lockedbyintruder
  loginallowedtimemap logingracelimit logingraceremaining loginintruderaddress loginintruderattempts
  loginintruderresettime loginmaximumsimultaneous logintime messageserver ndshomedirectory passwordallowchange
  passwordexpirationinterval passwordexpirationtime passwordminimumlength passwordrequired passwordsused
  passworduniquerequired privatekey profile profilemembership publickey rbsassignedroles securityequals uniqueid
  usedby`;

/** Attributes that say who may sign in, of OpenLDAP, 389 DS, FreeIPA, ForgeRock, eDirectory and Active Directory. */
const STATES: Readonly<Record<string, Meaning>> = {
  nsaccountlock: 'disabled',
  logindisabled: 'disabled',
  'ds-pwp-account-disabled': 'disabled',
  'msds-useraccountdisabled': 'disabled',
  pwdstarttime: 'disabled until',
  pwdendtime: 'active until',
  accountexpires: 'active until',
  krbprincipalexpiration: 'active until',
  loginexpirationtime: 'active until',
  'ds-pwp-account-expiration-time': 'active until',
  sambakickofftime: 'active until',
  isdeleted: 'deleted',
  isrecycled: 'deleted',
};
/** Expiry times that mean "never" in Active Directory, Kerberos and Samba. */
const NEVER = /^(?:0|9223372036854775807|19700101000000Z|2147483647)$/;

/** Converts a time of Active Directory, in units of 100 ns since 1601, to ms since 1970. Other values are unchanged. */
const fromFileTime = (value: string): string =>
  /^\d{18}$/.test(value) ? String(BigInt(value) / 10_000n - 11_644_473_600_000n) : value;

/** Bits of Active Directory's userAccountControl: disabled accounts, and accounts of machines and trusted domains. */
const ACCOUNT_DISABLE = 0x2;
const OF_MACHINES = 0x800 | 0x1000 | 0x2000;
/** Bit of Kerberos' flags with which a user gets no tickets, and so cannot sign in. */
const DISALLOW_ALL_TIX = 0x40;

const valuesOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).flatMap((one) => textOf(one) ?? []);
const firstOf = (value: unknown): string | undefined => valuesOf(value)[0];

function stateOfEntry(row: Row): ReadState {
  const { record } = row;
  return gravestState([
    ...Object.entries(STATES).flatMap(([name, meaning]) =>
      valuesOf(record[name]).map((value) =>
        meaning === 'active until' && NEVER.test(value)
          ? undefined
          : stateOf(name, fromFileTime(value), meaning, row),
      ),
    ),
    ldapPassword(valuesOf(record.userpassword)).isLocked ? 'DISABLED' : undefined,
    // Any time means a lock. Administrators set one in the year 0.
    firstOf(record.pwdaccountlockedtime) === undefined ? undefined : 'DISABLED',
    // Samba's flags are in brackets, padded with blanks: `[DU         ]`.
    /^\[\w*D/.test(firstOf(record.sambaacctflags) ?? '') ? 'DISABLED' : undefined,
    flagsOf('useraccountcontrol', record, (flags) => {
      if ((flags & ACCOUNT_DISABLE) !== 0) return 'DISABLED';
      return (flags & OF_MACHINES) === 0 ? undefined : 'SERVICE_ACCOUNT';
    }),
    flagsOf('krbticketflags', record, (flags) => ((flags & DISALLOW_ALL_TIX) === 0 ? undefined : 'DISABLED')),
    expiryOf('shadowexpire', firstOf(record.shadowexpire), row),
    stateOfAge(
      ['shadowlastchange', 'shadowmax', 'shadowinactive'].map((name) => [name, firstOf(record[name])]),
      row.nowMs,
    ),
    ...(hasClass(record, 'posixaccount') ? valuesOf(record.loginshell) : []).map((shell) =>
      stateOfShell('loginshell', shell, row),
    ),
    stateOfPlace(record),
    stateOfLock(firstOf(record.accountunlocktime), row),
    ...valuesOf(record.nsroledn).map((role) => stateOfRole(role, row)),
    valuesOf(record.nsrole).some((role) => DISABLED_ROLE.test(role)) ? 'DISABLED' : undefined,
  ]);
}

/** Reads the end of a lock in 389 DS. The first second of 1970 means that only an administrator can end the lock. */
const stateOfLock = (end: string | undefined, { nowMs, ruled }: Row): ReadState =>
  end === '19700101000000Z'
    ? 'DISABLED'
    : stateOf('accountunlocktime', end, 'disabled until', { nowMs: nowMs + LONGEST_LOCK_MS, ruled });

const DISABLED_ROLE = /^cn=ns(?:managed)?disabledrole *,/i;

/**
 * Reads the state from a role. 389 DS disables roles nested in `cn=nsDisabledRole`. All other roles are unknown
 * states.
 */
function stateOfRole(role: string, { tables, ruled }: Row): ReadState {
  const nested = tables.flatMap(({ container, root }) =>
    container === 'ldif' ? listOf(root.rolesInDisabledRole) : [],
  );
  if (DISABLED_ROLE.test(role) || nested.some((one) => bareName(one) === bareName(role))) return 'DISABLED';
  return ruled.has('nsroledn') ? undefined : { column: 'nsroledn', word: shownCell(role) };
}

const bareName = (dn: unknown) => (textOf(dn) ?? '').toLowerCase().replace(/\s*([,=])\s*/g, '$1');

function flagsOf(name: string, record: SourceRecord, stateBy: (flags: number) => ReadState): ReadState {
  const flags = firstOf(record[name]);
  if (flags === undefined) return undefined;
  return /^-?\d{1,10}$/.test(flags) ? stateBy(Number(flags)) : { column: name, word: 'no number' };
}

const hasClass = ({ objectclass }: SourceRecord, name: string): boolean =>
  valuesOf(objectclass).some((one) => one.toLowerCase() === name);

/**
 * Reads the state from the place of an entry. FreeIPA and others keep deleted entries, and entries that are not
 * activated yet, in places of their own.
 */
function stateOfPlace(record: SourceRecord): ReadState {
  const place = firstOf(record.dn) ?? '';
  if (
    hasClass(record, 'nstombstone') ||
    /,cn=deleted (?:users,cn=accounts,cn=provisioning|objects),/i.test(place)
  )
    return 'DELETED';
  return /,cn=staged users,cn=accounts,cn=provisioning,/i.test(place) ? 'DISABLED' : undefined;
}

/**
 * Returns the places (parent entries) of people, for a warning: administrators may move people who have left to a place
 * such as `ou=former`, without locking them.
 */
function placesOf({ records }: Seen): string[] {
  const people = records.filter(({ userpassword }) => userpassword !== undefined);
  return [...new Set(people.map(({ dn }) => /(?<!\\),(.*)/s.exec(firstOf(dn) ?? '')?.[1] ?? ''))];
}

const MAX_PLACES = 8;

/** Name in `--without-table operational`, which answers the question about missing operational attributes. */
const OPERATIONAL = 'operational';

/**
 * Attributes that show that an export has the operational attributes: those that hardly anybody asks for alone, and
 * those that lock users. Active Directory and eDirectory return theirs with all other attributes.
 */
const SHOW_OPERATIONAL = words(
  `creatorsname modifiersname entrycsn structuralobjectclass subschemasubentry useraccountcontrol logindisabled
  nsaccountlock pwdaccountlockedtime ds-pwp-account-disabled`,
);

const lacksOperational = ({ tables }: Seen): boolean =>
  tables.some(
    ({ container, first, columns }) =>
      container === 'ldif' &&
      first.length > 0 &&
      !SHOW_OPERATIONAL.some((name) => columns.has(name) || first.some((one) => one[name] !== undefined)),
  );

const isSaidNotToBe = ({ settings: { withoutTable = '' } }: Seen): boolean =>
  [...keptColumns({ keep: withoutTable }).values()].includes(OPERATIONAL);

const REMEDY =
  "They come with slapcat, or ldapsearch … '*' '+'. Where entryUUID is missing, the dn is the id.";

/** Attributes whose first value becomes metadata. */
const KEPT = ['uid', 'cn', 'sn', 'givenname', 'displayname'] as const;

/** Entries of people in LDIF (RFC 2849), of any directory. */
const entries: Users = {
  forms: { ldif: 'ldif' },
  has: '',
  id: 'dn',
  joined: ({ record }) => timeOf(firstOf(record.createtimestamp ?? record.whencreated)),
  addresses: ({ record }) => valuesOf(record.mail).map((email) => ({ email })),
  hash: ({ record }) => ldapPassword(valuesOf(record.userpassword)).password,
  metadata: ({ record }) => Object.fromEntries(KEPT.map((name) => [name, firstOf(record[name])])),
  state: stateOfEntry,
  factors: ({ record }) =>
    valuesOf(record.ipauserauthtype).some((type) => type !== 'password') || isDemanded(record.ipapasskey),
  roles: ({ record }) => record.memberof !== undefined,
  drops: {
    // In Active Directory, 0 in `pwdLastSet` means that the user must change the password.
    'forced password changes': ({ record }) =>
      firstOf(record.pwdlastset) === '0' || flagOf(firstOf(record.pwdreset)) === true,
  },
  phone: ({ record }) => record.mobile !== undefined || record.telephonenumber !== undefined,
  user: ({ record, drop }) => {
    const { further } = ldapPassword(valuesOf(record.userpassword));
    for (let left = further; left > 0; left -= 1) drop('further hashes');
    return {
      externalUserId: firstOf(record.entryuuid) ?? firstOf(record.dn),
      email: firstOf(record.mail),
    };
  },
  reads:
    'entryuuid mail userpassword createtimestamp whencreated mobile telephonenumber pwdlastset pwdreset memberof objectclass ' +
    'uid cn sn givenname displayname ipauserauthtype ipapasskey sambaacctflags useraccountcontrol krbticketflags ' +
    'shadowexpire shadowlastchange shadowmax shadowinactive loginshell ' +
    `pwdaccountlockedtime accountunlocktime nsroledn nsrole ${Object.keys(STATES).join(' ')}`,
  unused: `${PEOPLE} ${DS389} ${FREEIPA} ${ACTIVE_DIRECTORY} ${FORGEROCK} ${EDIRECTORY}`,
  warning: [
    {
      text: 'The first entries have no userPassword. Directories show it to administrators only: use slapcat, or ldapsearch with their bind DN.',
      when: ({ records, has }) =>
        records.length > 0 && !has('userpassword') && records.every((one) => one.userpassword === undefined),
    },
    {
      text: `The first entries have no operational attributes. ${REMEDY}`,
      when: (seen) => lacksOperational(seen) && isSaidNotToBe(seen),
    },
    {
      text: (seen) => {
        const places = placesOf(seen);
        const shown = places.slice(0, MAX_PLACES).map((place) => shownCell(place));
        return `People stand in several places: ${shown.join('; ')}${places.length > MAX_PLACES ? '; …' : ''}. All are imported: if a place holds those who must not sign in, export the others alone (ldapsearch -b PLACE).`;
      },
      when: (seen) => placesOf(seen).length > 1,
    },
  ],
  stop: {
    text: `The first entries have no operational attributes (creatorsName, pwdAccountLockedTime, nsAccountLock). Some of these say who must not sign in, so nobody is imported.\n${REMEDY}\nIf no user is locked: --without-table ${OPERATIONAL} (nobody is left out by one of them).`,
    when: (seen) => lacksOperational(seen) && !isSaidNotToBe(seen),
    question: { code: 'TABLE_MISSING', flag: '--without-table', tables: [OPERATIONAL] },
  },
};

export const ldif = system('ldif', 'LDIF (OpenLDAP, 389 DS, ForgeRock and other directories)', entries);
