import type { RequestContext } from '../../auth/context.js';
import { GroupedCalls } from '../../clock/grouped-calls.js';

/** Reads what many objects of one answer lead to. Returns a result for each item, in order. */
type ReadEdges<Item, Result> = (
  context: RequestContext,
  asked: string,
  items: readonly Item[],
) => Promise<readonly Result[]>;

/** Objects in one read; pages of ad-hoc queries have at most 200 items. */
const MAX_TOGETHER = 200;

/**
 * Reads an edge of all objects of one answer together, so that a page costs one read and not one for each item. Requests
 * never share a read, because each caller sees something else.
 */
export class BatchedEdges<Item, Result> {
  readonly #read: ReadEdges<Item, Result>;
  readonly #ofRequest = new WeakMap<RequestContext, GroupedCalls<Item, Result>>();

  constructor(read: ReadEdges<Item, Result>) {
    this.#read = read;
  }

  /** @param asked the arguments of the edge as text; only items with equal arguments are read together. */
  load(context: RequestContext, asked: string, item: Item): Promise<Result> {
    const known = this.#ofRequest.get(context);
    if (known) return known.call(asked, item);
    const calls = new GroupedCalls<Item, Result>((key, items) => this.#read(context, key, items), MAX_TOGETHER);
    this.#ofRequest.set(context, calls);
    return calls.call(asked, item);
  }
}
