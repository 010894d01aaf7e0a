/** Acknowledged means on disk, on a majority: the only write concern of this service (evidence.md section 3). */
export const DURABLE = { w: 'majority', j: true } as const;

/** Waits this long for a server before an operation fails; the facade turns that into 503. */
const SERVER_SELECTION_TIMEOUT_MS = 5_000;

/** What every connection to the service's databases keeps to, whoever opens it. */
export const CONNECTION_OPTIONS = {
  serverSelectionTimeoutMS: SERVER_SELECTION_TIMEOUT_MS,
  writeConcern: DURABLE,
  readConcern: { level: 'majority' },
  retryWrites: false,
  ignoreUndefined: true,
} as const;
