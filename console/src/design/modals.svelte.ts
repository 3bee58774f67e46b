import { untrack } from 'svelte'

const open = $state<HTMLDialogElement[]>([])

/** The dialog above all others; undefined while none is open. */
export const topModal = (): HTMLDialogElement | undefined => open.at(-1)

/** Shows a dialog above the page and makes the rest of it inert; the returned function closes it. */
export function showModal(dialog: HTMLDialogElement): () => void {
  dialog.showModal()
  untrack(() => open.push(dialog))
  return () => {
    open.splice(open.indexOf(dialog), 1)
    dialog.close()
  }
}
