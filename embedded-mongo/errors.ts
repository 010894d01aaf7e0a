/**
 * One table of the error codes clients see. Drivers, mongoose and agenda decide by code (retry, swallow,
 * "duplicate key"), so numbers and names are MongoDB's own (its error_codes.yml), never invented.
 */
const ERROR_CODES = {
  InternalError: 1,
  BadValue: 2,
  NoSuchKey: 4,
  HostUnreachable: 6,
  UnknownError: 8,
  UserNotFound: 11,
  FailedToParse: 9,
  Unauthorized: 13,
  TypeMismatch: 14,
  Overflow: 15,
  InvalidLength: 16,
  ProtocolError: 17,
  AuthenticationFailed: 18,
  IllegalOperation: 20,
  InvalidBSON: 22,
  NamespaceNotFound: 26,
  IndexNotFound: 27,
  PathNotViable: 28,
  RoleNotFound: 31,
  ConflictingUpdateOperators: 40,
  CursorNotFound: 43,
  NamespaceExists: 48,
  MaxTimeMSExpired: 50,
  DollarPrefixedFieldName: 52,
  InvalidIdField: 53,
  NotSingleValueField: 54,
  EmptyFieldName: 56,
  CommandNotFound: 59,
  ImmutableField: 66,
  CannotBackfillArray: 34,
  CannotCreateIndex: 67,
  IndexAlreadyExists: 68,
  InvalidOptions: 72,
  InvalidNamespace: 73,
  IndexOptionsConflict: 85,
  IndexKeySpecsConflict: 86,
  ShutdownInProgress: 91,
  OperationFailed: 96,
  WriteConflict: 112,
  CommandNotSupported: 115,
  DocumentValidationFailure: 121,
  ExceededMemoryLimit: 146,
  CommandNotSupportedOnView: 166,
  InvalidPipelineOperator: 168,
  CannotIndexParallelArrays: 171,
  InvalidIndexSpecificationOption: 197,
  NoReplicationEnabled: 76,
  KeyTooLong: 17280,
  QueryPlanKilled: 175,
  CursorInUse: 213,
  CursorKilled: 237,
  MechanismUnavailable: 334,
  ConversionFailure: 241,
  KeyNotFound: 211,
  NoSuchTransaction: 251,
  TransactionTooOld: 225,
  OperationNotSupportedInTransaction: 263,
  ClientDisconnect: 279,
  NoQueryExecutionPlans: 291,
  APIVersionError: 322,
  APIStrictError: 323,
  CannotConvertIndexToUnique: 359,
  QueryExceededMemoryLimitNoDiskUseAllowed: 292,
  BSONObjectTooLarge: 10334,
  DuplicateKey: 11000,
  Interrupted: 11601,
  OutOfDiskSpace: 14031,
} as const;

export type ErrorName = keyof typeof ERROR_CODES;

const NAME_OF_CODE = new Map<number, string>(Object.entries(ERROR_CODES).map(([name, code]) => [code, name]));

/** The name MongoDB gives a code; codes of single assertions have none and are called `Location<code>`. */
function codeNameOf(code: number): string {
  return NAME_OF_CODE.get(code) ?? `Location${code}`;
}

/** An error that a client sees. `extra` holds further reply fields (keyPattern, keyValue, errInfo). */
export class MongoError extends Error {
  readonly code: number;
  readonly codeName: string;
  readonly extra: Readonly<Record<string, unknown>> | undefined;

  constructor(code: ErrorName | number, message: string, extra?: Readonly<Record<string, unknown>>) {
    super(message);
    this.name = 'MongoError';
    this.code = typeof code === 'number' ? code : ERROR_CODES[code];
    this.codeName = codeNameOf(this.code);
    this.extra = extra;
  }
}

/** Runs a part of a command. An error of this part names the part first, as MongoDB's errors do. */
export function inContext<R>(context: string, act: () => R): R {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof MongoError)) throw error;
    throw new MongoError(error.code, `${context} :: caused by :: ${error.message}`, error.extra);
  }
}

/** Throws an error that the client gets. */
export function fail(...error: ConstructorParameters<typeof MongoError>): never {
  throw new MongoError(...error);
}
