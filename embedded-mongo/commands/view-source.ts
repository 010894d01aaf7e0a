import type { BsonValue } from '../bson/value.js';
import type { View } from '../catalog/view.js';
import type { ServerContext } from './command.js';

/** A view down to the collection it stands on (which need not exist), with all pipelines in between. */
export interface ResolvedView {
  readonly view: View;
  readonly source: string;
  readonly pipeline: readonly BsonValue[];
}

export function resolveView({ catalog }: ServerContext, view: View): ResolvedView {
  let { viewOn: source, pipeline } = view;
  for (let next = catalog.view(view.db, source); next; next = catalog.view(view.db, source)) {
    pipeline = [...next.pipeline, ...pipeline];
    source = next.viewOn;
  }
  return { view, source, pipeline };
}
