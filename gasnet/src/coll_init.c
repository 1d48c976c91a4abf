#include "am.h"
#include "coll_images.h"
#include "coll_meet.h"

void gasnet_coll_init(const gasnet_image_t images[], gasnet_image_t my_image,
                      const gasnet_coll_fn_entry_t fn_tbl[], size_t fn_count, int init_flags)
{
    if (!gasneti_is_attached())
        gasneti_fatal(__func__, "called before gasnet_attach");
    if (init_flags != 0)
        gasneti_fatal(__func__, "init_flags are %d: they must be 0", init_flags);
    const gasneti_coll_part_t part =
        gasneti_coll_join(__func__, images, my_image, fn_tbl, fn_count);
    if (part == GASNETI_COLL_ONLY)
        gasneti_coll_open(__func__);
    else if (part == GASNETI_COLL_LAST)
        gasneti_coll_drive(__func__);
    for (unsigned rounds = 0; part != GASNETI_COLL_ONLY && !gasneti_coll_is_driven();)
        gasneti_poll_in_wait(&rounds);
    gasneti_coll_is_open = true;
}
