import { anyOf, bareName, oncePerName } from './column-names.ts';

/** A column whose values decide which users may sign in, such as `is_active` or `banned_until`. */
export interface StateColumn {
  name: string;
  /** Meaning of true: `active` users may sign in, `disabled` and `deleted` users must not. */
  kind: 'active' | 'disabled' | 'deleted';
  /** Meaning of a time. Omitted if the name suggests flags or words. */
  time?: 'since' | 'until';
  /** A column such as `status` that the operator did not name. A 0 or 1 may be the code of any state. */
  isGuessedStatus?: true;
  /** A column `state` beside `country`, which may be part of an address. Unknown words in it are ignored. */
  mayBeAddress?: true;
}

const WHOSE =
  '(?:is|was)?(?:user|usr|account|acct|login|signin|member|customer|player|client|row|record)*(?:is|was)?';
const SINCE = '(?:at|on|date|time|datetime|timestamp|ts|since)';
const UNTIL = '(?:until|till|upto)';
const SUFFIX = `(?:(?<since>${SINCE})|(?<until>${UNTIL})|flag|yn)?`;
const NAMES: readonly [kind: StateColumn['kind'], name: RegExp][] = [
  [
    'deleted',
    new RegExp(
      `^(?:date)?${WHOSE}(?:soft)?(?:deleted?|deletion|del|removed|trashed|erased|purged|discarded)${SUFFIX}$`,
    ),
  ],
  [
    'disabled',
    new RegExp(
      `^(?:date)?${WHOSE}(?:disabled?|deactivated|inactivated|inactive|notactive|ban|banned|block|blocked|suspended|archived|frozen|revoked|locked|lockedout|blacklisted|blocklisted|terminated|closed|cancell?ed|rejected|prohibit(?:ed)?(?:login)?|spam|pending)${SUFFIX}$`,
    ),
  ],
  ['disabled', new RegExp(`^${WHOSE}expired$`)],
  ['disabled', /^(?:ban|suspension|block)(?<until>until|till|ends?|endsat|endat|expires|expiresat|expiry)$/],
  ['active', new RegExp(`^${WHOSE}(?:active|activated|enabled|approved)${SUFFIX}$`)],
  ['active', /^(?:can(?:login|signin)|allow(?:login|signin)|(?:login|signin)allowed)$/],
  // Columns of Spring Security, such as accountNonLocked.
  ['active', /^(?:is)?(?:account|credentials)non(?:locked|expired)$/],
];
const STATUS = new RegExp(
  `^${WHOSE}(?:(?:approval|registration|membership|activation)status|status|state)(?:code|id|name|text)?$`,
);
/** Most words in columns of other languages are unknown: the operator is asked for their meaning. */
const WHOSE_ELSE = `(?:${anyOf(
  'es está é ist est jest fecha data date datum usuario usuário utilisateur benutzer nutzer konto cuenta conta compte account',
)})*`;
const SINCE_ELSE = `(?:${anyOf('el em en le am il at on den op fecha data date datum')})?`;
const ELSE: readonly [kind: StateColumn['kind'], words: string][] = [
  [
    'deleted',
    `gelöscht geloescht eliminado eliminada borrado borrada supprimé supprimée excluído excluída deletado deletada removido
    removida cancellato eliminato eliminata verwijderd usunięty usunięta smazán smazaný smazáno silindi silinmiş slettet
    raderad borttagen poistettu törölt удалён удалена удалено видалено видалений 已删除 已刪除 是否删除 删除 刪除 削除 削除済み 삭제`,
  ],
  [
    'disabled',
    `gesperrt deaktiviert inaktiv blockiert verbannt bloqueado bloqueada inactivo inactiva inativo inativa desactivado
    desactivada desativado desativada deshabilitado deshabilitada desabilitado suspendido suspendida suspenso baneado
    banido inactif désactivé désactivée banni suspendu bloccato bloccata disattivato disabilitato sospeso geblokkeerd
    uitgeschakeld zablokowany zablokowana nieaktywny blokovaný blokován zakázán engelli yasaklı pasif blockerad spärrad
    sperret spærret estetty letiltva заблокирован заблокирована заблокировано забанен неактивен отключён отключена 无效
    無効 禁用 停用 冻结 凍結 封禁 已禁用 是否禁用 정지 차단`,
  ],
  [
    'active',
    `aktiv aktiviert freigeschaltet freigegeben activo activa activado activada habilitado habilitada ativo ativa ativado
    actif active activé attivo attiva attivato abilitato actief geactiveerd aktywny aktywna aktivní aktif aktivny
    aktiivinen aktív активен активный активна активно включён включено 有効 启用 啟用 是否启用 激活 已激活 활성`,
  ],
];
const NAMES_ELSE = ELSE.map(
  ([kind, words]) => [kind, new RegExp(`^${WHOSE_ELSE}(?:${anyOf(words)})${SINCE_ELSE}$`)] as const,
);
const STATUS_ELSE = new RegExp(
  `^${WHOSE_ELSE}(?:${anyOf('estado estatus statut stato situação situación zustand kontostatus stav durum tillstand статус состояние стан 状态 狀態 状態 ステータス 상태 สถานะ')})${WHOSE_ELSE}$`,
);
const OF_ADDRESS = /^(?:state(?:code|id|name)?|estado|stato|stan)$/;
const ADDRESS =
  /^(?:city|town|zip|zipcode|postcode|postalcode|country|countrycode|street|address|address(?:line)?1|ciudad|cidade|citta|municipio|pais|paese|cep|cap|codigopostal|codicepostale|calle|rua|via|direccion|endereco|indirizzo)$/;

/** How a column shows the state of users. `status` counts, too, although its words may be unknown. */
export const stateColumnNamed = oncePerName((name): StateColumn | undefined => {
  const text = bareName(name);
  const latin = text.replace(/[^a-z0-9]/g, '');
  // If a name has parts in two scripts, both usually mean the same, so the Latin part is tried too.
  return stateNamed(name, text) ?? (latin === text ? undefined : stateNamed(name, latin));
});

function stateNamed(name: string, text: string): StateColumn | undefined {
  for (const [kind, expression] of NAMES) {
    const match = expression.exec(text);
    if (match === null) continue;
    const time = match.groups?.since ? 'since' : match.groups?.until ? 'until' : undefined;
    return { name, kind, ...(time && { time }) };
  }
  if (STATUS.test(text) || STATUS_ELSE.test(text)) return { name, kind: 'active', isGuessedStatus: true };
  const kind = NAMES_ELSE.find(([, expression]) => expression.test(text))?.[0];
  return kind && { name, kind };
}

/** Columns that suggest who may sign in. `state` beside `city` or `zip` gets `mayBeAddress`. */
export function stateColumnsAmong(columns: Iterable<string>): StateColumn[] {
  const names = [...columns];
  const hasAddress = names.some((name) => ADDRESS.test(bareName(name)));
  return names.flatMap((name) => {
    const column = stateColumnNamed(name);
    if (column === undefined) return [];
    return hasAddress && OF_ADDRESS.test(bareName(name))
      ? { ...column, mayBeAddress: true as const }
      : column;
  });
}
