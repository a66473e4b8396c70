// The scenario as the page edits it: options flat by their JavaScript paths, only those that differ from the default.
import table from '../dist/table.json';

export const { options: OPTIONS, retryTable, limits, faults: FAULTS } = table;
const byPath = new Map(OPTIONS.map((option) => [option.path, option]));

export const EVENTS = ['cut', 'drop', 'sleep', 'wake', 'reconnect', 'connect', 'close'];
/** More than can be told apart on a time line. */
export const MOST_GATEWAYS = 8;
export const DEFAULT_HORIZON = 120_000;
/** What a kind of fault cannot be without. */
export const FAULT_NEEDS = { slow: { dialMilliseconds: 3000, answerMilliseconds: 1000 } };
/** Of the fleet, where a scenario says nothing of one. */
export const DEFAULT_CLIENTS = 1000;

const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);
/** What a link holds may be anything; the engine names what is wrong in a field, and here it need only have fields. */
const scalarOf = (value) => (typeof value === 'object' ? JSON.stringify(value) : value);
const objectOf = (value) =>
  Object.fromEntries(
    isObject(value) ? Object.entries(value).map(([key, each]) => [key, scalarOf(each)]) : [],
  );
const listOf = (value) => (Array.isArray(value) ? value.filter(isObject).map(objectOf) : []);

export function flatten(options, prefix = '') {
  return Object.entries(options).flatMap(([key, value]) => {
    return isObject(value) ? flatten(value, `${prefix}${key}.`) : [[prefix + key, value]];
  });
}

/** The options that differ from their default; what is no option stays, for the engine to name. */
export function changedOnly(entries) {
  return Object.fromEntries(entries.filter(([path, value]) => byPath.get(path)?.default !== value));
}

const urlOf = (gateway) => (typeof gateway === 'object' && gateway !== null ? gateway.url : gateway);

/** Of a scenario as the engine takes it, or as a link holds it. */
export function fromScenario(scenario) {
  const {
    gateways = [],
    seed,
    ...options
  } = Object.fromEntries(flatten(isObject(scenario.options) ? scenario.options : {}));
  return {
    gateways: [gateways]
      .flat()
      .slice(0, MOST_GATEWAYS)
      .map((gateway) => String(urlOf(gateway) ?? '')),
    options: changedOnly(Object.entries(objectOf(options))),
    seed: scalarOf(seed),
    horizon: scalarOf(scenario.horizon) ?? DEFAULT_HORIZON,
    world: objectOf(scenario.world),
    faults: listOf(scenario.faults),
    events: listOf(scenario.events),
    operations: listOf(scenario.operations),
    plainClient: isObject(scenario.plainClient) ? objectOf(scenario.plainClient) : undefined,
    clients: scenario.clients === 1 ? undefined : scalarOf(scenario.clients),
    bucketMilliseconds: scalarOf(scenario.bucketMilliseconds),
  };
}

const isEmpty = (value) => value === undefined || Object.keys(value).length === 0;

/** All of it, without what is empty: what a link holds. */
export function toScenario(state) {
  const { gateways, options, seed, horizon, world, faults, events, operations, plainClient } = state;
  return {
    options: { gateways, ...options, ...(seed !== undefined && { seed }) },
    horizon,
    ...(!isEmpty(world) && { world }),
    ...(!isEmpty(faults) && { faults }),
    ...(!isEmpty(events) && { events }),
    ...(!isEmpty(operations) && { operations }),
    ...(plainClient !== undefined && { plainClient }),
    ...(state.clients !== undefined && { clients: state.clients }),
    ...(state.bucketMilliseconds !== undefined && { bucketMilliseconds: state.bucketMilliseconds }),
  };
}

const BUCKETS_DRAWN = 600;

/** The same for one client, whose trace is drawn. */
export function forOne(state) {
  const { clients, bucketMilliseconds, ...scenario } = toScenario(state);
  const width = Math.ceil((Number(state.horizon) || DEFAULT_HORIZON) / BUCKETS_DRAWN);
  const bucket = Math.min(3_600_000, Math.max(100, width));
  return { ...scenario, bucketMilliseconds: bucket, ...(state.plainClient && { operations: [] }) };
}

const MOST_BUCKETS = 2000;

/** The same for a fleet, which is only counted. */
export function forFleet(state, options = {}) {
  const { plainClient, ...scenario } = toScenario(state);
  const least = Math.ceil((Number(state.horizon) || DEFAULT_HORIZON) / MOST_BUCKETS / 100) * 100;
  return {
    ...scenario,
    options: { ...scenario.options, ...options },
    operations: [],
    clients: state.clients ?? DEFAULT_CLIENTS,
    bucketMilliseconds: Math.min(3_600_000, Math.max(100, least)),
  };
}

/** A list with one item changed. */
export function withItem(list, index, change) {
  return list.map((item, at) => (at === index ? clean({ ...item, ...change }) : item));
}

export const without = (list, index) => list.filter((_, at) => at !== index);

/** Without what is undefined: the engine knows the default. */
export function clean(object) {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}

/** The script without a gateway: what was said of it alone goes too, what comes after it moves up. */
export function withoutGateway(state, index) {
  const moved = state.faults
    .filter(({ gateway }) => gateway !== index)
    .map((fault) => (fault.gateway > index ? { ...fault, gateway: fault.gateway - 1 } : fault));
  return { ...state, gateways: without(state.gateways, index), faults: moved };
}
