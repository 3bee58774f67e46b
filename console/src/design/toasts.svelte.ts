type Toast = { id: number; text: string; isError: boolean; action?: { label: string; run(): void } }

let last = 0
const list = $state<Toast[]>([])

export const toasts = list

/** Says for some seconds what was done; an error stays until it is closed or its view is left. */
export function toast(
  text: string,
  options: Partial<Pick<Toast, 'isError' | 'action'>> = {},
): void {
  const id = ++last
  list.push({ id, text, isError: false, ...options })
  if (!options.isError) setTimeout(() => dismiss(id), 6000)
}

/** Takes the errors of a view away that is left. */
export function dismissErrors(): void {
  for (const { id } of list.filter(({ isError }) => isError)) dismiss(id)
}

export function dismiss(id: number): void {
  const at = list.findIndex((one) => one.id === id)
  if (at >= 0) list.splice(at, 1)
}
