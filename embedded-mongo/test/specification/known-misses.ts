import type { SpecTest } from './format.js';

/** Tests of MongoDB's folder that are expected to fail here with driver 7.x, and why. Every other failure is a fault. */
export const KNOWN_MISSES: readonly (readonly [test: RegExp, reason: string])[] = [
  [
    /redacted-commands (saslStart|saslContinue|(legacy )?hello with(out)? speculative authenticate( is not redacted)?)$/,
    'the driver: reports no events of the handshake',
  ],
  [/A successful find with options/, 'the server: find with min and max'],
  [/collection is created with the correct options/, 'the server: $collStats shows no maxSize'],
  [/observeSensitiveCommands .*hello/, 'the driver: reports no events of the handshake'],
  [
    /download when final chunk is missing|upload when contentType/,
    'the driver: reads to the last chunk there is, knows no contentType',
  ],
  [/clustered-indexes/, 'the server: no clustered indexes'],
  [/pre_and_post_images/, 'the server: no change streams'],
  [/timeseries-collection/, 'the server: no time series'],
  [/showRecordId and returnKey/, 'the server: neither showRecordId nor returnKey'],
  [
    /^cursors .* errors if timeoutMode is set and timeoutMS is not|^runCursorCommand errors? if timeoutMode is /,
    'the driver: timeoutMode has no effect',
  ],
  [
    /^non-tailable-cursors aggregate with \$(out|merge) errors if timeoutMode is iteration/,
    'the driver: timeoutMode has no effect',
  ],
  [
    /^tailable-(non-)?awaitData error (if timeoutMode|on (find|aggregate|watch) if maxAwait)/,
    'the driver: timeoutMode has no effect',
  ],
  [
    /^tailable-awaitData (timeoutMS is refreshed for getMore if maxAwaitTimeMS is|apply maxAwaitTimeMS if less)/,
    'the driver: timeoutMS has no effect',
  ],
  [/^tailable-non-awaitData timeoutMS is refreshed for getMore - success/, 'the driver: timeoutMS has no effect'],
  [
    /^(close-cursors|gridfs-advanced|gridfs-find) timeoutMS can be overridden for (?!drop$)/,
    'the driver: timeoutMS has no effect',
  ],
  [
    /^command-execution (maxTimeMS value in the command is less|short-circuit is not enabled)/,
    'the driver: timeoutMS has no effect',
  ],
  [
    /^bypassDocumentValidation (Aggregate with \$out|BulkWrite|FindOneAnd(Replace|Update)|InsertMany) passes bypassDocumentValidation: false/,
    'the driver: does not send the default',
  ],
  [
    /^create-null-ids inserting _id with type null via (insertOne|insertMany|bulkWrite|clientBulkWrite)$/,
    'the driver: makes an ObjectId of a null _id',
  ],
  [/^non-lb-connection-establishment operations against/, 'the driver: takes loadBalanced in the URI alone'],
  [/^client-bulkWrite-partialResults partialResult is unset when /, 'the driver: always gives a partial result'],
  [/^operation-id .* bulk ?[wW]rite /, 'the driver: its log messages have no operationId'],
  [/^connection-pool-options waitQueue(Size|Multiple) /, 'the driver: has no such option'],
  [
    /^(logging-standalone|standalone-emit-.*) Topology lifecycle$/,
    'the driver: closes without a change of description',
  ],
  [/^serverMonitoringMode .*=(auto|stream) >=4\.4$/, 'the driver: calls the first heartbeat awaited'],
  [/^runCursorCommand supports configuring getMore maxTimeMS/, 'the driver: sends no maxTimeMS with this getMore'],
];

/** The tests of `timeoutMS`, which driver 7.x ignores: they expect an error that only the driver can make. */
export function expectsClientTimeout(test: SpecTest): boolean {
  return test.operations.some(({ expectError }) => expectError?.['isTimeoutError'] === true);
}

export const NO_CLIENT_TIMEOUT = 'the driver: timeoutMS has no effect';
