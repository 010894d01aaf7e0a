import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { mapPage, type Page } from '../../../shared/pagination/cursor.js';
import { listQueryOf } from '../../../shared/records/list-query.js';
import { showing } from '../../../shared/records/shown.js';
import { deleteView, listViews, type ShownView, saveView, type ViewDeps } from './saved-views.js';
import { SavedView, SavedViewFilter, SavedViewInput, SavedViewPage } from './schema.js';

const shown = showing(SavedView, (_: ShownView) => ({}));

@Resolver()
export class SavedViewResolver {
  readonly #deps: ViewDeps;

  constructor(deps: ViewDeps) {
    this.#deps = deps;
  }

  @Query(() => SavedViewPage, {
    description: 'Lists own and shared saved views of the screens that the caller may read.',
  })
  async savedViews(
    @Args(() => SavedViewFilter) filter: SavedViewFilter,
    @Ctx() context: RequestContext,
  ): Promise<Page<SavedView>> {
    return mapPage(await listViews(this.#deps, context, listQueryOf(filter)), shown);
  }

  @Mutation(() => SavedView, { description: 'Saves a view of a screen.' })
  async saveView(
    @Arg('input', () => SavedViewInput) input: SavedViewInput,
    @Ctx() context: RequestContext,
  ): Promise<SavedView> {
    return shown(await saveView(this.#deps, context, input));
  }

  @Mutation(() => SavedView, { description: 'Deletes a saved view.' })
  async deleteSavedView(
    @Arg('view_id', () => String, { description: 'Identifier of the view.' }) viewId: string,
    @Ctx() context: RequestContext,
  ): Promise<SavedView> {
    return shown(await deleteView(this.#deps, context, viewId));
  }
}
