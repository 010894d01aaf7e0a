import { compilePipeline } from '../../aggregate/pipeline.js';
import { encodeDocument } from '../../bson/encode.js';
import { BsonDoc } from '../../bson/value.js';
import type { View } from '../../catalog/collection.js';
import { words } from '../../checked-access.js';
import { parseCollation } from '../../compare/collation.js';
import { fail } from '../../errors.js';
import * as arg from '../arguments.js';
import { type ServerContext } from '../command.js';
import { refuseViewWrites } from '../read/views.js';

const COLLECTION_ONLY = words('capped size max validator validationLevel validationAction idIndex autoIndexId');

/** `create` with `viewOn`; accepts an identical view. */
export async function createView(context: ServerContext, db: string, name: string, body: BsonDoc): Promise<void> {
  const forbidden = COLLECTION_ONLY.find((option) => body.has(option));
  if (forbidden) fail('InvalidOptions', `'${forbidden}' is not allowed for a view`);
  const definition = parseDefinition(body);
  await context.writes.run(() => {
    const existing = context.catalog.view(db, name);
    const same =
      existing &&
      encodeDocument(definitionOf(existing)).equals(encodeDocument(definitionOf({ ...existing, ...definition })));
    if (same) return;
    context.catalog.refuseTaken(db, name);
    checkChain(context, { db, name, ...definition });
    context.catalog.createView({ db, name, ...definition });
  });
}

/** `collMod` of a view: another source, another pipeline. */
export async function changeView(context: ServerContext, view: View, body: BsonDoc): Promise<void> {
  const definition = { ...parseDefinition(body), collation: view.collation };
  await context.writes.run(() => {
    checkChain(context, { db: view.db, name: view.name, ...definition });
    context.catalog.replaceView({ ...view, ...definition });
  });
}

function definitionOf({ viewOn, pipeline, collation }: View): BsonDoc {
  return BsonDoc.of({ viewOn, pipeline: [...pipeline], collation });
}

function parseDefinition(body: BsonDoc): Pick<View, 'viewOn' | 'pipeline' | 'collation'> {
  const viewOn = arg.string(body, 'viewOn');
  if (!viewOn) fail('InvalidOptions', "'viewOn' and 'pipeline' must both be specified for a view");
  const pipeline = arg.array(body, 'pipeline') ?? [];
  for (const stage of pipeline) {
    const operator = stage instanceof BsonDoc ? stage.keys[0] : undefined;
    if (operator === '$out' || operator === '$merge')
      fail(40_600, `${operator} is not allowed to be used within a view`);
  }
  // Rejects a pipeline that cannot run now, instead of at the first read.
  const nothing = () => refuseViewWrites('');
  compilePipeline(pipeline, { readCollection: nothing, find: nothing, random: () => 0, nowMs: 0 });
  const given = arg.doc(body, 'collation');
  return { viewOn, pipeline, collation: given && given.size > 0 ? parseCollation(given)?.spec : undefined };
}

/** Views may nest 20 deep, without cycles, and all views of a chain have one collation. */
function checkChain(context: ServerContext, view: Omit<View, 'id'>): void {
  const collationId = view.collation && parseCollation(view.collation)?.id;
  let source = view.viewOn;
  for (let depth = 1; ; depth++) {
    if (source === view.name) fail(5, `View cycle detected: ${view.db}.${view.name}`);
    if (depth > MAX_VIEW_DEPTH) fail(177, 'View depth limit exceeded; maximum depth is 20');
    const next = context.catalog.view(view.db, source);
    if (!next) return;
    if ((next.collation && parseCollation(next.collation)?.id) !== collationId)
      fail(167, `View ${view.db}.${view.name} has a collation other than that of ${next.name}`);
    source = next.viewOn;
  }
}

const MAX_VIEW_DEPTH = 20;
