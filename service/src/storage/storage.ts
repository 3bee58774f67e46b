import type { AlarmDetail, AlarmOrder, AlarmStatus, OrderDirection } from '@plumbline/contract'
import type { AlarmWatch } from '../domain/alarms/alarm-life.ts'
import type { HourSummary } from '../domain/hour-summary.ts'
import type { Zone } from '../domain/local-time.ts'
import type { RecordList } from '../domain/record-list.ts'
import type { Retained } from '../domain/retention-term.ts'
import type { SealedPart } from '../domain/sealed-part.ts'
import type { SiteEntry } from '../domain/site-entry.ts'
import type { MaintenanceWindow } from '../domain/telling/maintenance.ts'
import type { Trigger } from '../domain/vibration/trigger.ts'

/**
 * Everything the service remembers.
 *
 * `sqlite/` opens it; `test/storage/_conformance.ts` states what every engine must agree on.
 * Instants are epoch milliseconds. A write resolves once it would survive a power cut.
 */
export interface Storage extends AsyncDisposable {
  readonly applications: ApplicationStore
  readonly tokens: TokenStore
  readonly keys: KeyStore
  readonly sites: SiteStore
  readonly data: DataStore
  readonly readings: ReadingStore
  readonly seals: SealStore
  readonly retention: RetentionStore
  readonly traffic: TrafficStore
  readonly vibration: VibrationStore
  readonly alarms: AlarmStore
  readonly telling: TellingStore
  readonly maintenance: MaintenanceStore
  readonly devices: DeviceStore
  readonly leases: LeaseStore
  readonly refusals: RefusalStore
  readonly positions: PositionStore
  readonly changes: ChangeStore

  /** Resolves while both reading and writing work; throws what is wrong otherwise. */
  check(): Promise<void>

  /** Looks through the database for damage; says in sentences what was found. */
  inspect(): Promise<string[]>
}

export type Application = {
  id: string
  userId: number
  name: string
  createdAt: number
  revokedAt: number | null
}

export interface ApplicationStore {
  add(application: Omit<Application, 'revokedAt'>, secretHash: Uint8Array): Promise<void>

  /** Finds an application that is not revoked. */
  find(id: string): Promise<{ userId: number; secretHash: Uint8Array } | undefined>

  list(): Promise<Application[]>

  /** Makes the application and its tokens useless; false when there is no such application. */
  revoke(id: string, now: number): Promise<boolean>

  /** Replaces the secret; tokens stay valid. False when there is no such application. */
  changeSecret(id: string, secretHash: Uint8Array): Promise<boolean>
}

export type Token = {
  applicationId: string
  userId: number
  expiresAt: number
  isInvalidated: boolean
  /** The site's version at the same moment: one look-up answers both with every request. */
  siteVersion: number
}

export interface TokenStore {
  add(token: {
    hash: Uint8Array
    applicationId: string
    issuedAt: number
    expiresAt: number
  }): Promise<void>

  /** Finds a token of an application that is not revoked, expired and invalidated ones too. */
  find(hash: Uint8Array): Promise<Token | undefined>

  /** Invalidates a token of this application; a foreign or unknown one stays as it is. */
  invalidate(hash: Uint8Array, applicationId: string, now: number): Promise<void>

  /** Forgets tokens that expired before an instant; returns how many. */
  forgetExpired(before: number): Promise<number>
}

export type IngestKey = {
  id: number
  name: string
  createdAt: number
  revokedAt: number | null
}

export interface KeyStore {
  add(name: string, hash: Uint8Array, now: number): Promise<void>

  /** Finds a key that is not revoked. */
  find(hash: Uint8Array): Promise<IngestKey | undefined>

  list(): Promise<IngestKey[]>

  /** False when no key in use has this name. */
  revoke(name: string, now: number): Promise<boolean>
}

export type StoredSite = {
  /** Grows with every applied change. */
  version: number
  entries: SiteEntry[]
  /** The groups of stations that are in no named group, with their lasting ids. */
  defaultGroups: { id: number; structure: number; factor: number }[]
  /** The number by which raw records know each sensor, by its uuid. */
  sensorKeys: ReadonlyMap<string, number>
}

export type SiteChanges = {
  /** Entries to add or replace, in their lasting order. */
  put: readonly SiteEntry[]
  remove: readonly SiteEntry[]
  /** Whether records of removed stations and devices go too. */
  withRecords: boolean
}

export interface SiteStore {
  version(): Promise<number>

  load(): Promise<StoredSite>

  /** Applies all changes or none; false when the site is no longer at `baseVersion`. */
  apply(changes: SiteChanges, baseVersion: number): Promise<boolean>

  /** Those of the given stations, sensors and structures that records are kept of. */
  findHoldings(sources: Holdings): Promise<Holdings>
}

export type Holdings = { stations: number[]; sensors: string[]; structures: number[] }

export type RecordKind = 'theme' | 'raw'

/** What names records, in columns of equal length. */
export type RecordKeys = { sources: number[]; times: number[] }

/** Records in columns of equal length: source, instant and the text as it is served. */
export type RecordRows = RecordKeys & { records: string[] }

export type RecordBatch = Partial<Record<RecordKind, RecordRows>>

/** What goes with a write of records, all of it or nothing. */
export type WriteOptions = {
  /** Records that shall be there no longer; one that is not there is none the worse for it. */
  gone?: Partial<Record<RecordKind, RecordKeys>> | undefined
  /** The change that this is part of: what was there before is remembered for `undo`. */
  change?: number | undefined
  /** How far the source has been read from which the records are. */
  position?: { name: string; text: string } | undefined
  /** Who measured records of the batch by hand; a reading that was sent twice is kept once. */
  readings?: readonly Reading[] | undefined
  /** What the records mean for alarms. */
  alarms?: AlarmWrites | undefined
}

/** A record that somebody measured by hand, and who. */
export type Reading = {
  station: number
  time: number
  /** Who measured it. */
  author: string
  /** Who entered it. */
  userId: number
  note: string
  /** The record as it was entered; a later one may have taken its place. */
  record: string
  enteredAt: number
}

export interface ReadingStore {
  /** The newest so many between two instants, both inclusive; of one instant the last entered first. */
  list(query: { station: number; from: number; to: number; limit: number }): Promise<Reading[]>
}

/** Text kept compressed: raw DEFLATE that ends at a byte's edge, its last block not marked last. */
export type DeflatedText = {
  deflated: Uint8Array
  /** Bytes of the text, and their CRC-32. */
  length: number
  crc: number
}

/** Records as JSON text joined by commas, as it is or compressed. */
export type RecordsPiece = Uint8Array | DeflatedText

export type RecordQuery = {
  kind: RecordKind
  /** Station id, or the number of a sensor. */
  source: number
  /** First and last instant, both inclusive. */
  from: number
  to: number
  /** The newest so many, newest first; left out: all, ascending. */
  newest?: number
  /** `flat`: `{"strain":1,"time":"…"}`; `nested`: `{"values":{"strain":1},"time":"…"}`. */
  shape: 'flat' | 'nested'
}

/** Records of a source from one instant to another, both inclusive. */
export type RecordSpan = Pick<RecordQuery, 'kind' | 'source' | 'from' | 'to'>

export type HourQuery = Pick<RecordQuery, 'kind' | 'source' | 'from' | 'to'> & {
  /** Whose clock the hours are of. */
  zone: Zone
  /** This item alone, and the hours that have it; left out: all items. */
  item?: string
}

/** Pieces that are read are given away: nobody else looks at their memory. */
export interface DataStore {
  /** Stores all rows or none; a row replaces an earlier one of the same source and instant. */
  write(batch: RecordBatch, options?: WriteOptions): Promise<Record<RecordKind, Replaced>>

  /** Yields records as JSON text joined by commas, in pieces that themselves join by a comma. */
  read(query: RecordQuery): AsyncIterable<Uint8Array>

  /** The same of flat records, sealed days in the compressed bytes in which they are kept. */
  readDeflated(query: RecordQuery & { shape: 'flat' }): AsyncIterable<RecordsPiece>

  /**
   * Yields the local hours that have records in the window, ascending, each once.
   *
   * An hour that lies in it partly is summed up of those records only that are in the window.
   */
  readHours(query: HourQuery): AsyncIterable<HourSummary>

  /** Yields records with their instants, oldest first, some thousand at a time. */
  readLists(span: RecordSpan): AsyncIterable<RecordList>

  /** The instant of the newest record of each source; `null` where there is none. */
  findNewest(kind: RecordKind, sources: readonly number[]): Promise<(number | null)[]>
}

export type Replaced = { replaced: number }

/** Open records of a source on a day of UTC, counted in days since 1970. */
export type OpenDay = { source: number; day: number; count: number }

/** From an instant until another, which is no longer in it. */
export type SourceSpan = { kind: RecordKind; source: number; start: number; until: number }

/** What past days are kept in: `docs/decisions/0034-sealed-days.md`. Reading is the same before and after. */
export interface SealStore {
  /** Days that hold open records, oldest first, up to that of an instant. */
  listOpenDays(kind: RecordKind, before: number): Promise<OpenDay[]>

  /**
   * Seals the open records of a span, which lies within one local day, and takes up what came
   * later for sealed ones. Not whole: records kept coming, and some stay open for now.
   */
  seal(
    span: SourceSpan & { zone: Zone },
  ): Promise<{ records: number; bytes: number; isWhole: boolean }>

  /** Makes sealed records open ones again, of every part that a span touches. */
  unseal(span: SourceSpan): Promise<{ records: number }>

  countParts(kind: RecordKind): Promise<number>

  /** Yields everything that is sealed, as it is stored. */
  listParts(kind: RecordKind): AsyncIterable<{ source: number; part: SealedPart }>

  /** Gives a little of the disk's space back that nothing needs any more; done when none is left. */
  tidy(): Promise<{ isDone: boolean }>
}

export type Forgetting = {
  kind: Retained
  /** Station id, the number of a sensor, or for traffic the structure. */
  source: number
  /** What is older than this instant goes. */
  before: number
  /** About how many records go at once. */
  limit: number
}

export interface RetentionStore {
  /**
   * Forgets the oldest records of a source, a few at a time; done when none is left to go.
   *
   * A sealed part goes when all of it is old enough. Until then it stays whole.
   */
  forget(what: Forgetting): Promise<{ records: number; isDone: boolean }>

  /** How many records `forget` would take away; a corrected one counts as both that are kept. */
  count(what: Omit<Forgetting, 'limit'>): Promise<number>
}

export interface LeaseStore {
  /** Takes a lease, or keeps the own one for longer; false while somebody else holds it. */
  take(lease: { name: string; holder: string; now: number; until: number }): Promise<boolean>

  /** Gives the own lease back. */
  leave(name: string, holder: string): Promise<void>
}

export type TrafficRow = {
  structure: number
  time: number
  /** What tells two vehicles of one instant apart. */
  identity: string
  overload: boolean
  license: string
  load: number
  /** The record as it is served. */
  record: string
  /** What the weighing system gave beyond it, as JSON. */
  details: string
}

export type TrafficQuery = {
  structure: number
  from: number
  to: number
  overload?: boolean | undefined
  license?: string | undefined
  loadFloor?: number | undefined
}

export interface TrafficStore {
  write(rows: readonly TrafficRow[]): Promise<Replaced>

  /** Yields matching records, oldest first, as `DataStore.read` does. */
  read(query: TrafficQuery): AsyncIterable<Uint8Array>
}

export type VibrationBatch = {
  station: number
  /** Its first sample. A batch of the same station and trigger takes the place of an earlier one. */
  trigger: Trigger
  /** In Hz, as it is served. */
  sampleFreq: string
  unit: string
  samples: Float64Array
}

export type VibrationHeader = {
  /** No two batches ever have the same, not even one that took the place of another. */
  id: number
  station: number
  /** The whole second under which clients ask for it; each batch of a station has its own. */
  collectTime: number
  trigger: Trigger
  sampleFreq: string
  unit: string
  count: number
}

export type VibrationQuery = {
  station: number
  /** First and last `collectTime`, both inclusive. */
  from: number
  to: number
  /** The newest so many. */
  limit: number
}

/** Theme records that are there with a batch, and those that are there no longer. */
export type VibrationRecords = RecordRows & { gone?: RecordKeys }

export type BatchPlace = {
  /** The second under which the batch will be asked for. */
  collectTime: number
  /** Whether it takes the place of an earlier batch. */
  isAgain: boolean
}

export type VibrationWrite = {
  batch: VibrationBatch
  records(place: BatchPlace): VibrationRecords
}

export interface VibrationStore {
  /** Stores one batch as `writeAll` does. */
  write(
    batch: VibrationBatch,
    records: VibrationWrite['records'],
  ): Promise<Replaced & { collectTime: number }>

  /**
   * Stores batches and the theme records that belong to them, all or none.
   *
   * The `collectTime` of each is the second of its trigger or, where the station has another batch
   * under that one, the first free second after it.
   */
  writeAll(writes: readonly VibrationWrite[]): Promise<(Replaced & { collectTime: number })[]>

  /** Finds the first batch of a station whose `collectTime` lies between two instants. */
  find(station: number, from: number, to: number): Promise<VibrationHeader | undefined>

  /** Finds a batch by its number. */
  findById(id: number): Promise<VibrationHeader | undefined>

  /** Lists batches, newest first. */
  list(query: VibrationQuery): Promise<VibrationHeader[]>

  /** Yields the samples in order, in pieces; throws a `DamageError` where they are not those that were stored. */
  readSamples(batch: Pick<VibrationHeader, 'id' | 'count'>): AsyncIterable<Float64Array>

  /** Reads every sample of every batch; yields each batch, with what is wrong with it. */
  inspect(): AsyncIterable<{ batch: VibrationHeader; damage?: string }>
}

export type StoredAlarm = {
  id: number
  structure: number
  source: { id: string; name: string }
  /** 0 DTU, 1 sensor, 2 station. */
  sourceType: number
  /** 1 data, 2 DTU, 3 sensor, 4 gateway, 5 node. */
  category: number
  alarmTypeCode: string
  level: number
  content: string
  count: number
  state: number
  /** Local date-time strings of the structure's zone. */
  startTime: string
  endTime: string
}

/** `all`, or the structures a user may see. */
export type Scope = 'all' | readonly number[]

export type AlarmQuery = {
  scope: Scope
  status?: AlarmStatus | undefined
  levels?: readonly number[] | undefined
  categories?: readonly number[] | undefined
  /** Alarms whose span meets this window, as local date-time strings. */
  startTime?: string | undefined
  endTime?: string | undefined
  keywords?: string | undefined
  orderBy: AlarmOrder
  orderDirection: OrderDirection
  limit: number
  offset: number
}

/** Where all alarms stand: it grows with every change, and says who made the last one. */
export type AlarmVersion = { version: number; writer: number }

/** What is remembered of a source and type, and the alarm that it is about. */
export type StoredWatch = { source: string; typeCode: string; alarmId: number; watch: AlarmWatch }

/** One change of one alarm. */
export type AlarmChange = {
  /** The alarm as it is served from now on. */
  alarm: Omit<StoredAlarm, 'id'>
  watch: AlarmWatch
  /** Whether it is an alarm of its own, the earlier one of its source and type being closed. */
  isNew: boolean
  /** The step in its life, told with it; `null` for what only the engine remembers. */
  detail: AlarmDetail | null
  /** Whether nobody is to be told. */
  isLate: boolean
}

/** Bounds, in instants, within which the newest record of a station must lie. */
export type NewestBounds = { station: number; above: number; upTo: number }

/**
 * Changes of alarms, in their order, and what they were made from.
 *
 * A write is refused whole, with an `OvertakenError`, when that is no longer so.
 */
export type AlarmWrites = {
  at: AlarmVersion
  bounds: readonly NewestBounds[]
  changes: readonly AlarmChange[]
  /** Who writes: a number of this engine's own. */
  writer: number
  now: number
}

export interface AlarmStore {
  /** Counts the alarms in a scope. */
  count(scope: Scope, status: AlarmStatus): Promise<number>

  /** A page of matching alarms; ties are ordered by id. `count` counts every match. */
  list(query: AlarmQuery): Promise<{ count: number; alarms: StoredAlarm[] }>

  /** The structure an alarm belongs to. */
  findStructure(id: number): Promise<number | undefined>

  /** The steps of an alarm, oldest first. */
  listDetails(id: number): Promise<AlarmDetail[]>

  find(id: number): Promise<StoredAlarm | undefined>

  /** Finds the open alarm of a source and type. */
  findOpen(source: string, typeCode: string): Promise<StoredAlarm | undefined>

  /** The watches that changed since a version, and the version they are of now. */
  loadWatches(since: number): Promise<{ at: AlarmVersion; watches: StoredWatch[] }>

  /** Changes alarms, all of it or nothing; refused with an `OvertakenError` like a write of records. */
  write(alarms: AlarmWrites): Promise<void>

  /** Keeps alarms, each with its steps; an alarm of the same id is replaced. */
  put(alarms: readonly (StoredAlarm & { details: readonly AlarmDetail[] })[]): Promise<void>
}

/** A report of a device that something is wrong with it. */
export type DeviceError = { device: string; time: number; error: string }

/** A step of an alarm that is written down and that nobody was told of yet. */
export type AlarmNotice = {
  alarm: number
  /** The place of the step among the alarm's details. */
  step: number
  isLate: boolean
  createdAt: number
}

export type WaitingNotice = AlarmNotice & {
  id: number
  /** Undefined when the alarm or the step is gone. */
  told: { alarm: StoredAlarm; detail: Omit<AlarmDetail, 'sponsor'> } | undefined
}

export type DeliveryKind = 'alarm' | 'reminder' | 'summary'
export type DeliveryState = 'waiting' | 'delivered' | 'suppressed' | 'givenUp'

export type NewDelivery = {
  kind: 'alarm' | 'reminder'
  /** The notice it is about; a reminder has none. */
  notice: number | null
  alarm: number
  step: number | null
  structure: number
  channel: string
  rules: readonly string[]
  /** What is sent, as JSON, the same with every try. */
  message: string
  /** Why it is not sent; `null` when it is. */
  reason: string | null
  createdAt: number
}

export type ReminderSetting = {
  alarm: number
  channel: string
  at: number
  /** One that is set already stays. */
  isFirst: boolean
}

export type FanOut = {
  /** The notices that this is about; they are gone afterwards. */
  notices: readonly number[]
  deliveries: readonly NewDelivery[]
  reminders: readonly ReminderSetting[]
  /** Alarms that are reminded of no more. */
  ended: readonly number[]
}

export type DueReminder = {
  alarm: number
  channel: string
  at: number
  /** Undefined when it is gone. */
  stored: StoredAlarm | undefined
  /** Something about the alarm waits for the channel. */
  isWaiting: boolean
}

export type DueDelivery = {
  id: number
  kind: DeliveryKind
  alarm: number | null
  channel: string
  message: string
  attempts: number
  dueAt: number
  /** How many messages a summary stands for. */
  held: number
}

/** What became of a delivery; every one is counted as a try, but for the last two. */
export type Settlement =
  | { kind: 'delivered'; at: number; note: string | null }
  | { kind: 'retry'; at: number; error: string }
  | { kind: 'givenUp'; at: number; error: string }
  | { kind: 'suppressed'; reason: string }
  /** Counted in the summary that waits for the channel; where there is none, one is due at `at`. */
  | { kind: 'held'; reason: string; now: number; at: number }

export type Delivery = {
  id: number
  kind: DeliveryKind
  alarm: number | null
  step: number | null
  structure: number | null
  channel: string
  rules: string[]
  state: DeliveryState
  attempts: number
  createdAt: number
  /** When it is tried next, or was tried last. */
  nextAt: number
  lastError: string | null
  reason: string | null
  deliveredAt: number | null
}

export type DeliveryQuery = {
  channel?: string | undefined
  state?: DeliveryState | undefined
  alarm?: number | undefined
  /** The last id of the page above. */
  before?: number | undefined
  limit: number
}

export type ChannelCount = {
  channel: string
  waiting: number
  /** Since when the oldest of them waits. */
  waitingSince: number | null
  /** Since an instant that was asked for. */
  givenUp: number
}

/** Who is told of alarms: the outbox, and what becomes of every message. */
export interface TellingStore {
  /** Puts notices into the outbox, as the alarms' own changes do in their transactions. */
  add(notices: readonly AlarmNotice[]): Promise<void>

  /** The oldest notices. */
  listNotices(limit: number): Promise<WaitingNotice[]>

  /** Puts deliveries and reminders in the place of notices: all of it, or nothing when one is gone. */
  fanOut(plan: FanOut): Promise<void>

  /** Reminders whose time has come, the oldest first. */
  listDueReminders(now: number, limit: number): Promise<DueReminder[]>

  /** Sets a reminder's next time, or ends it, and takes up what is told now: all or nothing. */
  remind(
    reminder: Pick<DueReminder, 'alarm' | 'channel' | 'at'>,
    next: number | null,
    delivery?: NewDelivery,
  ): Promise<void>

  /** Deliveries of a channel that are due, those with the fewest tries first. */
  listDue(channel: string, now: number, limit: number): Promise<DueDelivery[]>

  /** Whether there is an alarm of this id that has not ended. */
  isOpen(alarm: number): Promise<boolean>

  /** Channels that have something due. */
  listDueChannels(now: number): Promise<string[]>

  /** How many alarms and reminders were delivered to a channel since an instant. */
  countDelivered(channel: string, since: number): Promise<number>

  /** Writes down what became of a waiting delivery; of another it changes nothing. */
  settle(id: number, settlement: Settlement): Promise<void>

  /** Gives up what waits for a channel and was first due before an instant; returns how much. */
  giveUp(
    channel: string,
    dueBefore: number,
    settled: { at: number; error: string },
  ): Promise<number>

  /** Puts off everything of a channel that would be due before an instant. */
  postpone(channel: string, until: number): Promise<void>

  /** Newest first. */
  list(query: DeliveryQuery): Promise<Delivery[]>

  /** Every channel for which something waits, or was given up since an instant. */
  count(givenUpSince: number): Promise<ChannelCount[]>

  /** Forgets about so many deliveries that were settled and made before an instant. */
  forget(before: number, limit: number): Promise<{ isDone: boolean }>
}

export type StoredMaintenance = Omit<MaintenanceWindow, 'structures' | 'stations'> & {
  structures: number[]
  stations: number[]
  createdAt: number
  endedAt: number | null
}

export interface MaintenanceStore {
  /** Keeps a window and gives its number. */
  add(window: Omit<StoredMaintenance, 'id' | 'endedAt'>): Promise<number>

  /** Newest first; `since`: those that had not ended then. */
  list(query: { since?: number | undefined; limit: number }): Promise<StoredMaintenance[]>

  /**
   * Ends a window before its time; what has not begun never begins. False when there is none that
   * has not ended.
   */
  end(id: number, now: number): Promise<boolean>
}

export interface DeviceStore {
  /** Notes the last contact of devices; an older one than known changes nothing. */
  writeContacts(contacts: readonly { device: string; time: number }[]): Promise<void>

  listContacts(): Promise<{ device: string; time: number }[]>

  /** Notes what devices report to be wrong; an older report than the known one changes nothing. */
  writeErrors(errors: readonly DeviceError[]): Promise<void>

  /** The last error that each device has reported. */
  listErrors(): Promise<DeviceError[]>
}

/** What came in and could not be stored. */
export type Refusal = {
  /** Where it came in: `mqtt <name>`, `broker`, `file <path>`, `influx`. */
  origin: string
  /** What it is called there: a topic, a line number. */
  place: string
  /** The sentence that says why. */
  reason: string
  /** The bytes as they came. */
  payload: Uint8Array
  receivedAt: number
}

export interface RefusalStore {
  /** Keeps refusals; beyond `keep` of one origin the oldest give way, and are counted. */
  add(refusals: readonly Refusal[], keep: number): Promise<void>

  /** Newest first; `before` is the last id of the page above. */
  list(query: {
    origin?: string | undefined
    before?: number | undefined
    limit: number
  }): Promise<(Refusal & { id: number })[]>

  /** Every origin that ever had one, in the order of their names. */
  count(): Promise<{ origin: string; kept: number; dropped: number }[]>

  remove(ids: readonly number[]): Promise<{ removed: number }>
}

/** How far a source has been read that is read on from where it ended. */
export interface PositionStore {
  find(name: string): Promise<string | undefined>

  set(name: string, position: string): Promise<void>
}

/** A change of many records at once. */
export type Change = {
  id: number
  kind: 'import' | 'recompute'
  description: string
  startedAt: number
  /** `null`: it is under way, or it ended half way. */
  finishedAt: number | null
  undoneAt: number | null
  /** How many records it has changed that can be restored. */
  records: number
}

/** What was there before a change, of every write that names it. */
export interface ChangeStore {
  /** Begins a change and gives its number. */
  begin(change: Pick<Change, 'kind' | 'description' | 'startedAt'>): Promise<number>

  finish(id: number, now: number): Promise<void>

  /** In the order in which they began. */
  list(): Promise<Change[]>

  /**
   * Restores what a change replaced, and takes away what it added, so many records at a time.
   *
   * A record that somebody wrote since is left as it is. Done when nothing is left to restore.
   */
  undo(
    id: number,
    options: { limit: number; now: number },
  ): Promise<{ restored: number; left: number; isDone: boolean }>

  /** Forgets about so many records of changes that began before an instant; they stay as they are. */
  forget(before: number, limit: number): Promise<{ isDone: boolean }>
}
