import { ANY_KEY } from '../route.js';
import { type RouteArea, routeTable } from '../route-table.js';

/** The graph asks for the scope of the screen that a view belongs to. */
const SAVED_VIEWS: RouteArea = { area: 'saved-views', id: 'view_id', reads: ANY_KEY };

export const savedViewRoutes = routeTable(SAVED_VIEWS, {
  'POST /v1/saved-views': {
    summary: 'Save a view of a screen of the console',
    description:
      'A name for an address of the screens events, exceptions or graph. It belongs to the actor of the key, or to the key. ' +
      'Needs the scope that reads the screen. 409 CONFLICT for a name that the owner has for the screen, and beyond 100 views.',
    operation: { name: 'SaveView', field: 'saveView' },
    bodyExample: { name: 'Denials of March', address: '/events?outcome=denied', shared: false },
    answer: 'The view.',
  },
  'GET /v1/saved-views': {
    summary: 'List saved views',
    description: 'Own views, and shared ones of the tenant, of the screens that the scopes of the caller read.',
    operation: { name: 'ListSavedViews', field: 'savedViews' },
    answer: 'One page of views, newest first by default.',
  },
  'DELETE /v1/saved-views/{id}': {
    summary: 'Delete a saved view',
    description: 'An own view; an administrator also deletes shared ones.',
    operation: { name: 'DeleteSavedView', field: 'deleteSavedView' },
    answer: 'The deleted view.',
  },
});
