import { authorise, type RequestContext, requireTenant } from '../../../shared/auth/context.js';
import type { Clock } from '../../../shared/clock/clock.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import { forWork, type WorkDeps } from '../../../shared/ids/work.js';
import { mapPage, type Page } from '../../../shared/pagination/cursor.js';
import { MAX_VIEWS_OF_OWNER, scopeOf, screenOf, VIEW_SCREENS } from './domain.js';
import type { StoredView, ViewQuery, ViewStore } from './ports.js';
import type { SavedViewInput } from './schema.js';

export interface ViewDeps extends WorkDeps {
  readonly views: ViewStore;
  readonly clock: Clock;
}

export type ShownView = StoredView & { readonly own: boolean };

/** A view belongs to a person under every key of theirs, or to a key without an actor. */
const ownerOf = ({ principal }: RequestContext): string => principal.actorId ?? principal.keyId;

const shownTo =
  (context: RequestContext) =>
  (view: StoredView): ShownView => ({ ...view, own: view.owner === ownerOf(context) });

/** @throws FORBIDDEN without the scope of the screen; CONFLICT if the name is taken or the owner has too many views. */
export async function saveView(deps: ViewDeps, context: RequestContext, input: SavedViewInput): Promise<ShownView> {
  const screen = screenOf(input.address);
  if (screen === null) {
    const wrong = fault('/address', 'pattern', 'Must be the address of a screen: /events, /exceptions or /graph.');
    throw problem('VALIDATION_ERROR', { errors: [wrong] });
  }
  const tenantId = authorise(context, scopeOf(screen));
  const views = deps.views(tenantId);
  const view: StoredView = {
    view_id: forWork(deps, context, 'save-view').ids.next('savedView'),
    tenant_id: tenantId,
    owner: ownerOf(context),
    screen,
    name: input.name,
    address: input.address,
    shared: input.shared ?? false,
    created_at: new Date(deps.clock.nowMs()),
  };
  // A request that runs again after a crash finds its own view.
  const before = await views.get(view.view_id);
  if (before !== null) return shownTo(context)(before);
  const outcome = await views.insert(view, MAX_VIEWS_OF_OWNER);
  if (outcome === 'stored') return shownTo(context)(view);
  if (outcome === 'full') {
    throw problem('CONFLICT', { message: `You have ${MAX_VIEWS_OF_OWNER} saved views. Delete one first.` });
  }
  throw problem('CONFLICT', { message: 'You have a view with this name for the screen. Choose another name.' });
}

/** Lists own and shared views of the screens that the caller may read. */
export async function listViews(
  deps: Pick<ViewDeps, 'views'>,
  context: RequestContext,
  query: ViewQuery,
): Promise<Page<ShownView>> {
  const { scopes } = context.principal;
  const views = deps.views(requireTenant(context));
  const readable = VIEW_SCREENS.filter((screen) => scopes.has(scopeOf(screen)));
  const wanted = query.where.screen;
  const screen = readable.filter((one) => wanted === undefined || one === wanted);
  if (screen.length === 0) return { items: [], next_cursor: null };
  return mapPage(await views.page(ownerOf(context), { ...query, where: { screen } }), shownTo(context));
}

/** Deletes a view: the owner any, an administrator a shared one. @throws NOT_FOUND for every other view. */
export async function deleteView(
  deps: Pick<ViewDeps, 'views'>,
  context: RequestContext,
  viewId: string,
): Promise<ShownView> {
  const views = deps.views(requireTenant(context));
  const found = isIdOf('savedView', viewId) ? await views.get(viewId) : null;
  if (found === null) throw problem('NOT_FOUND');
  const view = shownTo(context)(found);
  if (!view.own && !(view.shared && context.principal.scopes.has('admin'))) throw problem('NOT_FOUND');
  await views.delete(viewId);
  return view;
}
