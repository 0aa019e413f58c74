/**
 * @typedef {object} Import As `GET /bulk-import/imports/{importId}` tells it.
 * @property {string} importId
 * @property {string} apiKeyName
 * @property {boolean} dryRun
 * @property {string} onConflict
 * @property {number} startedAt
 * @property {number} [finishedAt]
 * @property {number} [rolledBackAt]
 * @property {number} [expiredAt]
 * @property {'UNFINISHED' | 'FINISHED' | 'ROLLBACK_UNFINISHED' | 'ROLLED_BACK'} status
 * @property {boolean} running
 * @property {number} [updatedAt]
 * @property {number} [total]
 * @property {number} lines
 * @property {number} created
 * @property {number} updated
 * @property {number} skipped
 * @property {number} failed
 * @property {Record<string, number>} failuresByCode
 * @property {Record<string, number>} algorithms
 * @property {{strong: number, legacy: number, broken: number}} classes
 * @property {number} durationMs
 * @property {number} linesPerSecond
 * @property {Record<string, number>} [rollback]
 */

/**
 * @typedef {object} Failure
 * @property {number} line
 * @property {string} code
 * @property {string} message
 */

/**
 * @typedef {object} FailurePage
 * @property {string} status
 * @property {Failure[]} [failures]
 * @property {string} [nextCursor]
 */

/**
 * @typedef {object} HashGroup
 * @property {string} hashingAlgorithm
 * @property {string} class
 * @property {string} setBy
 * @property {number} users
 * @property {number} signedIn
 */

/**
 * @typedef {object} Census
 * @property {boolean} counting
 * @property {number} [countedAt]
 * @property {HashGroup[]} [hashes]
 */

export {};
