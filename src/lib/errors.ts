/** Error codes of the API with their HTTP status. Codes never change. A test compares them with docs/errors.md. */
export const ERROR_STATUS = {
  API_KEY_INVALID: 401,
  BODY_INVALID_JSON: 400,
  BODY_TOO_LARGE: 413,
  CDI_VERSION_INVALID: 400,
  CDI_VERSION_UNSUPPORTED: 400,
  CONTENT_TYPE_UNSUPPORTED: 415,
  CORE_NOT_CONFIGURED: 400,
  CORE_UNAVAILABLE: 503,
  EMAIL_CHANGED_SINCE: 409,
  EXPECTATION_FAILED: 417,
  EXPORT_UNAVAILABLE: 400,
  FACTORS_SECRET_MISSING: 400,
  FIELD_INVALID: 400,
  HANDED_OVER: 409,
  HAND_OVER_REFUSED: 400,
  HAND_OVER_SECRET: 503,
  HASHING_ALGORITHM_EMPTY: 400,
  HASHING_ALGORITHM_UNSUPPORTED: 400,
  HASHING_SECRET_MISSING: 400,
  HEADERS_TOO_LARGE: 431,
  HOOKS_ENDED: 503,
  HOOK_LIMIT: 503,
  HOOK_TIMEOUT: 503,
  IMPORT_EXPIRED: 400,
  IMPORT_OPTIONS_DIFFER: 400,
  IMPORT_REFUSED: 400,
  IMPORT_ROLLED_BACK: 400,
  IMPORT_TAKEN_OVER: 409,
  INTERNAL: 500,
  LEGACY_UNAVAILABLE: 503,
  METHOD_NOT_SUPPORTED: 405,
  MOVED: 409,
  NOT_FOUND: 404,
  NOT_HANDED_OVER: 503,
  OVERLOADED: 503,
  PASSWORD_EMPTY: 400,
  PASSWORD_HASH_COST: 400,
  PASSWORD_HASH_EMPTY: 400,
  PASSWORD_HASH_INVALID: 400,
  QUERY_INVALID: 400,
  REQUEST_MALFORMED: 400,
  REQUEST_TIMEOUT: 408,
  RIGHT_MISSING: 403,
  SHUTTING_DOWN: 503,
  SIGNER_KEY_NOT_CONFIGURED: 400,
  STORAGE_UNAVAILABLE: 503,
  TENANT_NOT_ALLOWED: 403,
  TENANT_NOT_FOUND: 400,
  UPDATE_EMPTY: 400,
  URI_TOO_LONG: 414,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** Returns whether `error` is a system error with one of these codes, such as `ENOENT`. */
export function hasErrno(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.some((code) => code === error.code);
}

/** Resolves with `fallback` if the promise fails with a system error of these codes. */
export async function unlessErrno<T, F>(
  promise: Promise<T>,
  fallback: F,
  ...codes: string[]
): Promise<T | F> {
  try {
    return await promise;
  } catch (error) {
    if (hasErrno(error, ...codes)) return fallback;
    throw error;
  }
}

/**
 * Error for the caller, who may see the message. Details that callers must not see (driver errors, parameters) are in
 * `cause`.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  /** Further members of the answer, as public as the message. They replace members of the same name. */
  readonly details: Readonly<Record<string, unknown>> | undefined;
  constructor(
    code: ErrorCode,
    message: string,
    options: { cause?: unknown; details?: Readonly<Record<string, unknown>> } = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = 'AppError';
    this.code = code;
    this.status = ERROR_STATUS[code];
    this.details = options.details;
  }
}

/**
 * A transaction lost a conflict with other writers of the same users, and may be retried. `cause` is the database's
 * error.
 */
export class Contended extends AppError {
  constructor(cause: unknown) {
    super('OVERLOADED', 'Service is overloaded: too many concurrent changes to the same users', { cause });
  }
}
