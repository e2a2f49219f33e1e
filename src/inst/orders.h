/* orders.h: calls with the order as a compile-time constant for common orders, so that loops over
 * the order unroll. */
#ifndef JOUNCE_INST_ORDERS_H
#define JOUNCE_INST_ORDERS_H

#define ORDER_CASE(n, call) \
  case n:                   \
    call(n);                \
    break;
#define ORDERS_0(call) ORDER_CASE(0, call)
#define ORDERS_0_TO_5(call) \
  ORDER_CASE(0, call)       \
  ORDER_CASE(1, call)       \
  ORDER_CASE(2, call) ORDER_CASE(3, call) ORDER_CASE(4, call) ORDER_CASE(5, call)
#define ORDERS_0_TO_8(call) \
  ORDERS_0_TO_5(call)       \
  ORDER_CASE(6, call)       \
  ORDER_CASE(7, call) ORDER_CASE(8, call)
/* orders: one of the lists above */
#define EACH_ORDER(r, orders, call) \
  switch (r) {                      \
    orders(call) default : call(r); \
    break;                          \
  }

#endif
