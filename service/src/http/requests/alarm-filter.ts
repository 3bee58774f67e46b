import type { AlarmFilter } from '@plumbline/contract'
import type { AlarmListFilter } from '../../storage/storage.ts'
import type { Caller } from '../security/caller.ts'
import { checkWindow } from './window.ts'

/**
 * The filter of a list of alarms, over the structures that the caller may see. What is asked is looked
 * for first, then permitted; `permit` checks what else the request names.
 */
export function alarmFilter(
  caller: Caller,
  { structures: asked, levels, types, status, startTime, endTime, keywords }: AlarmFilter,
  permit: () => void = () => {},
): AlarmListFilter {
  checkWindow({ startTime, endTime })
  const structures = filled(asked)?.map((id) => caller.findStructure(id).entry.id)
  permit()
  for (const id of structures ?? []) caller.permit(id)
  return {
    scope: structures ?? caller.scope,
    status,
    levels: filled(levels),
    categories: filled(types),
    startTime,
    endTime,
    keywords: keywords === '' ? undefined : keywords,
  }
}

/** An empty list is no filter: clients send lists that the user has not changed. */
const filled = (values: readonly number[] | undefined): readonly number[] | undefined =>
  values?.length === 0 ? undefined : values
