import { Args, Ctx, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import { Dashboard, DashboardWindow } from '../schema/dashboard.js';
import { type DashboardDeps, readDashboard } from '../service/read-dashboard.js';

const instant = (text: string | undefined): number | undefined => (text == null ? undefined : instantOf(text));

@Resolver()
export class DashboardResolver {
  readonly #deps: DashboardDeps;

  constructor(deps: DashboardDeps) {
    this.#deps = deps;
  }

  @Query(() => Dashboard, { description: 'Counters and series of the tenant.' })
  async dashboard(
    @Args(() => DashboardWindow) { from, to }: DashboardWindow,
    @Ctx() context: RequestContext,
  ): Promise<Dashboard> {
    const [fromMs, toMs] = [instant(from), instant(to)];
    const window = { ...(fromMs === undefined ? {} : { fromMs }), ...(toMs === undefined ? {} : { toMs }) };
    return (await readDashboard(this.#deps, context, window)) as unknown as Dashboard;
  }
}
