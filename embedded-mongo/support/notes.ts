/** What "partly" means, by group and name. A note on a name that is refused, or unknown, fails the test of the table. */
export const notes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Commands: {
    collMod: 'validation, view and index options only',
    explain: 'the plan of the reading part; writes are never carried out',
    getParameter: '`featureCompatibilityVersion` and `enableTestCommands` alone',
    serverStatus: 'a small part of its sections',
    validate: 'without `repair`',
  },
  Stages: {
    $bucketAuto: 'without `granularity`',
    $collStats: '`count` and `storageStats`',
    $fill: '`linear` is reckoned in doubles',
    $indexStats: 'uses are counted since the server started',
    $out: 'without `timeseries`',
    $setWindowFields: '`$derivative`, `$integral`, `$expMovingAvg`, `$covariance…` and `$linearFill` reckon in doubles',
  },
  'Query operators': {
    $regex:
      'PCRE is translated; possessive quantifiers, recursion and other constructs without an equivalent are error 51091; matching is bounded (51156)',
    $expr: 'does not use indexes',
    $text: 'at the top of a filter or in its `$and`, and first in a pipeline; by the one text index of a collection',
  },
  Expressions: {
    $meta: '`textScore` alone, after a `$match` with `$text` that begins the pipeline',
    $median: 'exact, where MongoDB approximates',
    $percentile: 'exact, where MongoDB approximates',
    $regexMatch: 'patterns as in `$regex`',
    $regexFind: 'patterns as in `$regex`',
    $regexFindAll: 'patterns as in `$regex`',
  },
  Projections: {
    $meta: '`textScore` alone',
  },
  Indexes: {
    text: 'version 3; stop words of languages other than English are those of the npm package `stopword`',
    'option `collation`':
      'keeps unique and finds by equality of text, for queries of the same collation; gives no order and no ranges of text',
  },
  Collation: {
    'strength 4': 'nothing is shifted, so it orders as 3',
  },
};
