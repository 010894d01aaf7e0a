import { words } from '../checked-access.js';

/**
 * The names in MongoDB 8.0's reference pages. A name that is listed here and not in the registries is shown as
 * refused.
 */

export const commandNames = words(`
  aggregate count distinct mapReduce
  bulkWrite delete find findAndModify getMore insert update
  planCacheClear planCacheClearFilters planCacheListFilters planCacheSetFilter setQuerySettings removeQuerySettings
  authenticate logout saslStart saslContinue
  createUser dropAllUsersFromDatabase dropUser grantRolesToUser revokeRolesFromUser updateUser usersInfo
  createRole dropAllRolesFromDatabase dropRole grantPrivilegesToRole grantRolesToRole invalidateUserCache
  revokePrivilegesFromRole revokeRolesFromRole rolesInfo updateRole
  appendOplogNote applyOps hello replSetAbortPrimaryCatchUp replSetFreeze replSetGetConfig replSetGetStatus
  replSetInitiate replSetMaintenance replSetReconfig replSetResizeOplog replSetStepDown replSetSyncFrom
  abortReshardCollection addShard addShardToZone analyzeShardKey balancerCollectionStatus balancerStart balancerStatus
  balancerStop checkMetadataConsistency cleanupOrphaned cleanupReshardCollection clearJumboFlag
  commitReshardCollection configureCollectionBalancing configureQueryAnalyzer enableSharding flushRouterConfig
  getShardMap getShardVersion isdbgrid listShards mergeAllChunksOnShard mergeChunks moveChunk moveCollection
  movePrimary moveRange refineCollectionShardKey removeShard removeShardFromZone reshardCollection shardCollection
  shardingState split splitVector transitionFromDedicatedConfigServer transitionToDedicatedConfigServer
  unshardCollection updateZoneKeyRange
  abortTransaction commitTransaction endSessions killAllSessions killAllSessionsByPattern killSessions refreshSessions
  startSession
  autoCompact cloneCollectionAsCapped collMod compact compactStructuredEncryptionData convertToCapped create
  createIndexes currentOp drop dropConnections dropDatabase dropIndexes filemd5 fsync fsyncUnlock getAuditConfig
  getClusterParameter getDefaultRWConcern getParameter killCursors killOp listCollections listDatabases listIndexes
  logRotate reIndex renameCollection rotateCertificates setAuditConfig setClusterParameter setDefaultRWConcern
  setFeatureCompatibilityVersion setIndexCommitQuorum setParameter shutdown validateDBMetadata
  buildInfo collStats connPoolStats connectionStatus dataSize dbHash dbStats explain getCmdLineOpts getLog hostInfo
  listCommands lockInfo netstat ping profile serverStatus shardConnPoolStats top validate whatsmyuri
  logApplicationMessage createSearchIndexes dropSearchIndex listSearchIndexes updateSearchIndex
`);

/** Options other than those that every command may carry. */
export const COMMAND_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  aggregate: words('pipeline explain allowDiskUse cursor bypassDocumentValidation collation hint let'),
  bulkWrite: words('ops nsInfo ordered errorsOnly bypassDocumentValidation let cursor'),
  collMod: words(`index validator validationLevel validationAction viewOn pipeline cappedSize cappedMax
    changeStreamPreAndPostImages expireAfterSeconds timeseries dryRun`),
  collStats: words('scale'),
  count: words('query limit skip hint collation'),
  create: words(`capped timeseries clusteredIndex changeStreamPreAndPostImages expireAfterSeconds size max storageEngine
    validator validationLevel validationAction indexOptionDefaults viewOn pipeline collation encryptedFields`),
  createIndexes: words('indexes commitQuorum'),
  dbStats: words('scale freeStorage'),
  delete: words('deletes ordered let'),
  distinct: words('key query collation hint'),
  dropIndexes: words('index'),
  explain: words('verbosity'),
  find: words(`filter sort projection hint skip limit batchSize singleBatch max min returnKey showRecordId tailable
    oplogReplay noCursorTimeout awaitData allowPartialResults collation allowDiskUse let`),
  findAndModify: words(`query sort remove update new fields upsert bypassDocumentValidation collation arrayFilters hint
    let`),
  getMore: words('collection batchSize'),
  insert: words('documents ordered bypassDocumentValidation'),
  killCursors: words('cursors'),
  listCollections: words('filter nameOnly authorizedCollections'),
  listDatabases: words('filter nameOnly authorizedDatabases'),
  renameCollection: words('to dropTarget'),
  update: words('updates ordered bypassDocumentValidation let'),
  validate: words('full repair metadata checkBSONConformance background'),
};

export const stageNames = words(`
  $addFields $bucket $bucketAuto $changeStream $changeStreamSplitLargeEvent $collStats $count $currentOp $densify
  $documents $facet $fill $geoNear $graphLookup $group $indexStats $limit $listLocalSessions $listSampledQueries
  $listSearchIndexes $listSessions $lookup $match $merge $out $planCacheStats $project $querySettings $queryStats
  $redact $replaceRoot $replaceWith $sample $search $searchMeta $set $setWindowFields $shardedDataDistribution $skip
  $sort $sortByCount $unionWith $unset $unwind $vectorSearch
`);

export const expressionNames = words(`
  $abs $acos $acosh $add $allElementsTrue $and $anyElementTrue $arrayElemAt $arrayToObject $asin $asinh $atan $atan2
  $atanh $avg $binarySize $bitAnd $bitNot $bitOr $bitXor $bsonSize $ceil $cmp $concat $concatArrays $cond $convert
  $cos $cosh $dateAdd $dateDiff $dateFromParts $dateFromString $dateSubtract $dateToParts $dateToString $dateTrunc
  $dayOfMonth $dayOfWeek $dayOfYear $degreesToRadians $divide $eq $exp $filter $first $firstN $floor $function
  $getField $gt $gte $hour $ifNull $in $indexOfArray $indexOfBytes $indexOfCP $isArray $isNumber $isoDayOfWeek
  $isoWeek $isoWeekYear $last $lastN $let $literal $ln $log $log10 $lt $lte $ltrim $map $max $maxN $median
  $mergeObjects $meta $millisecond $min $minN $minute $mod $month $multiply $ne $not $objectToArray $or $percentile
  $pow $radiansToDegrees $rand $range $reduce $regexFind $regexFindAll $regexMatch $replaceAll $replaceOne
  $reverseArray $round $rtrim $second $setDifference $setEquals $setField $setIntersection $setIsSubset $setUnion $sin
  $sinh $size $slice $sortArray $split $sqrt $stdDevPop $stdDevSamp $strLenBytes $strLenCP $strcasecmp $substr
  $substrBytes $substrCP $subtract $sum $switch $tan $tanh $toBool $toDate $toDecimal $toDouble $toHashedIndexKey
  $toInt $toLong $toLower $toObjectId $toString $toUUID $toUpper $trim $trunc $tsIncrement $tsSecond $type $unsetField
  $week $year $zip
`);

export const accumulatorNames = words(`
  $accumulator $addToSet $avg $bottom $bottomN $count $first $firstN $last $lastN $max $maxN $median $mergeObjects $min
  $minN $percentile $push $stdDevPop $stdDevSamp $sum $top $topN
`);

export const windowFunctionNames = words(`
  $addToSet $avg $bottom $bottomN $count $covariancePop $covarianceSamp $denseRank $derivative $documentNumber
  $expMovingAvg $first $firstN $integral $last $lastN $linearFill $locf $max $maxN $median $min $minN $percentile
  $push $rank $shift $stdDevPop $stdDevSamp $sum $top $topN
`);

export const schemaKeywordNames = words(`
  additionalItems additionalProperties allOf anyOf bsonType dependencies description encrypt encryptMetadata enum
  exclusiveMaximum exclusiveMinimum items maxItems maxLength maxProperties maximum minItems minLength minProperties
  minimum multipleOf not oneOf pattern patternProperties properties required title type uniqueItems
`);

/** Explanations for "partly", by group and name. A note on a refused or unknown name fails a test. */
export const NOTES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
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
    $fill: '`linear` computes in doubles',
    $indexStats: 'uses are counted since the server started',
    $out: 'without `timeseries`',
    $setWindowFields:
      '`$derivative`, `$integral`, `$expMovingAvg`, `$covariance…` and `$linearFill` compute in doubles',
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
