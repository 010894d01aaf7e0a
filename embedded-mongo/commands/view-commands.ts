import { compilePipeline } from '../aggregate/pipeline.js';
import { encodeDocument } from '../bson/encode.js';
import { BsonDoc } from '../bson/value.js';
import type { View } from '../catalog/view.js';
import { parseCollation } from '../compare/collation.js';
import { MongoError } from '../errors.js';
import { arrayArgument, docArgument, stringArgument } from './arguments.js';
import type { ServerContext } from './command.js';
import { refuseViewWrites } from './views.js';

const collectionOnly = [
  'capped',
  'size',
  'max',
  'validator',
  'validationLevel',
  'validationAction',
  'idIndex',
  'autoIndexId',
];

/** `create` with `viewOn`; asking again for the same view is fine. */
export async function createView(context: ServerContext, db: string, name: string, body: BsonDoc): Promise<void> {
  const forbidden = collectionOnly.find((option) => body.has(option));
  if (forbidden) throw new MongoError('InvalidOptions', `'${forbidden}' is not allowed for a view`);
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
  const viewOn = stringArgument(body, 'viewOn');
  if (!viewOn) throw new MongoError('InvalidOptions', "'viewOn' and 'pipeline' must both be specified for a view");
  const pipeline = arrayArgument(body, 'pipeline') ?? [];
  for (const stage of pipeline) {
    const operator = stage instanceof BsonDoc ? stage.keys[0] : undefined;
    if (operator === '$out' || operator === '$merge')
      throw new MongoError(40_600, `${operator} is not allowed to be used within a view`);
  }
  // A pipeline that cannot run is refused now, not at the first read.
  const nothing = () => refuseViewWrites('');
  compilePipeline(pipeline, { readCollection: nothing, find: nothing, random: () => 0, nowMs: 0 });
  const given = docArgument(body, 'collation');
  return { viewOn, pipeline, collation: given && given.size > 0 ? parseCollation(given)?.spec : undefined };
}

/** Views may stand on views, 20 deep, but not on themselves; all of one chain compare text alike. */
function checkChain(context: ServerContext, view: Omit<View, 'id'>): void {
  const collationId = view.collation && parseCollation(view.collation)?.id;
  let source = view.viewOn;
  for (let depth = 1; ; depth++) {
    if (source === view.name) throw new MongoError(5, `View cycle detected: ${view.db}.${view.name}`);
    if (depth > maxViewDepth) throw new MongoError(177, 'View depth limit exceeded; maximum depth is 20');
    const next = context.catalog.view(view.db, source);
    if (!next) return;
    if ((next.collation && parseCollation(next.collation)?.id) !== collationId)
      throw new MongoError(167, `View ${view.db}.${view.name} has a collation other than that of ${next.name}`);
    source = next.viewOn;
  }
}

const maxViewDepth = 20;
