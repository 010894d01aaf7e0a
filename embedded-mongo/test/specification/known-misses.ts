/** Tests of MongoDB's folder that are expected to fail here with driver 7.x, and why. Every other failure is a fault. */
export const KNOWN_MISSES: readonly (readonly [test: RegExp, reason: string])[] = [
  [/unacknowledged-.*-hint-clientError/, 'the driver: leaves the check of hints to the server'],
  [/unacknowledged-bulkWrite/, 'the driver: leaves the check of hints to the server'],
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
  [/\$listLocalSessions/, 'the server: no $listLocalSessions'],
];
