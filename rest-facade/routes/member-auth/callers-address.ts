import type { RouteMaker } from '../../route.js';

/** A route whose body may tell where a person is: where it does not, it is where the request comes from. */
export const withCallersAddress =
  (maker: RouteMaker): RouteMaker =>
  (contract) => {
    const route = maker(contract);
    return {
      ...route,
      handle: (call) =>
        route.handle({ ...call, run: (variables) => call.run({ client_address: call.address, ...variables }) }),
    };
  };
