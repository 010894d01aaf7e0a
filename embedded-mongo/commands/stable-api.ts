import { isTrue } from '../bson/number.js';
import { BsonDoc } from '../bson/value.js';
import { words } from '../checked-access.js';
import { fail } from '../errors.js';
import type { CommandRequest } from '../wire/op-msg.js';

/** The commands of API version 1 (MongoDB manual, "Stable API"). */
const COMMANDS: ReadonlySet<string> = new Set(
  words(`
    abortTransaction aggregate bulkWrite collMod commitTransaction count create createIndexes delete drop dropDatabase
    dropIndexes endSessions explain find findAndModify getMore hello insert killCursors listCollections
    listDatabases listIndexes ping refreshSessions update`),
);
/** Stages outside of it; a text that asks for them is an error with `apiStrict`. */
const OTHER_STAGES: ReadonlySet<string> = new Set(
  words('$currentOp $indexStats $listLocalSessions $listSessions $planCacheStats $search'),
);
const VERSION_ERROR = 322;
const STRICT_ERROR = 323;

/** Checks `apiVersion` and its switches as a server of API version 1 does. */
export function checkStableApi(command: string, { body }: CommandRequest): void {
  const version = body.get('apiVersion');
  for (const name of ['apiStrict', 'apiDeprecationErrors']) {
    if (body.has(name) && version === undefined) fail(VERSION_ERROR, `Provided ${name} without passing apiVersion`);
  }
  if (version === undefined) return;
  if (version !== '1') fail(VERSION_ERROR, 'API version must be "1"');
  if (!isTrue(body.get('apiStrict'))) return;
  if (!COMMANDS.has(command))
    fail(STRICT_ERROR, `Provided apiStrict:true, but the command ${command} is not in API Version 1`);
  if (command === 'aggregate') refuseOtherStages(body.get('pipeline'));
}

function refuseOtherStages(pipeline: unknown): void {
  if (!Array.isArray(pipeline)) return;
  for (const stage of pipeline) {
    const [name = ''] = stage instanceof BsonDoc ? stage.keys : [];
    if (OTHER_STAGES.has(name))
      fail(STRICT_ERROR, `stage ${name} is not allowed with 'apiStrict: true' in API Version 1`);
  }
}
